"""Tests of the files of the studio."""
