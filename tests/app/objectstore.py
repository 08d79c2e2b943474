"""An S3-compatible object storage for tests, on 127.0.0.1."""

from __future__ import annotations

import itertools
from types import TracebackType
from typing import Self

import boto3
from moto.server import ThreadedMotoServer

from tests.app.server import free_port


class ObjectStorage:
    """A server whose objects survive `stop` and `start`."""

    def __init__(self) -> None:
        self._port = free_port()
        self._numbers = itertools.count()
        self.environment = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        self.start()

    def start(self) -> None:
        """Start the server."""
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=self._port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        """Stop the server, which then refuses connections."""
        self._server.stop()

    def new_bucket(self) -> str:
        """Create a bucket; return the URL of an empty prefix in it."""
        name = f"bucket-{next(self._numbers)}"
        client = boto3.client(
            "s3",
            endpoint_url=self.environment["AWS_ENDPOINT_URL"],
            aws_access_key_id="test",
            aws_secret_access_key="test",
            region_name="us-east-1",
        )
        client.create_bucket(Bucket=name)
        client.close()
        return f"s3://{name}/some/prefix"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
