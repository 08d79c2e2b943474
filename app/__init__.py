"""FR-TSVM Service: training, prediction and model info over HTTP."""
