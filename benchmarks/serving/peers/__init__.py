"""The other sides: a bare endpoint, the idiomatic FastAPI service, MLServer."""
