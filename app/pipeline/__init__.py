"""Training and prediction on tables: encoding, scaling, fitting, validation."""
