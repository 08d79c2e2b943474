"""From a table to a model and back to labels: encoding, scaling, fitting, measuring."""
