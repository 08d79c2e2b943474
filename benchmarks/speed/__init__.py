"""Training and prediction speed against scikit-learn."""
