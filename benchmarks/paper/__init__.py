"""Reproduction of the experiments of the FR-TSVM paper: `make paper`.

The modules depend on each other in this order:

    datasets, artificial, corruption -> methods -> experiments -> figures, report

A *cell* is one unit of an experiment, for example one data set with one kernel and one seed. Its
result is stored and computed again only if its code or data change (see `cells` and `store`).
"""
