"""The studio: the web page for training and inspecting models, served from package files."""
