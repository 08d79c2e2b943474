"""The systems compared with this service: a constant route, a typical FastAPI app, and MLServer."""
