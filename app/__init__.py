"""The FR-TSVM service: train, predict and model info over HTTP."""
