"""Where rows are: in memory, in Parquet files, in Dask; each hands out the same blocks of whole leaves."""
