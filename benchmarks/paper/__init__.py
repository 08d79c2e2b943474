"""The experiments of the FR-TSVM paper, recreated and questioned: `make paper`.

data (datasets, artificial, corruption) -> methods -> experiments -> cells -> figures, report
"""
