"""Write the two Parquet files of the guide to large files, and one whose rows lie apart."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

os.mkdir("data")
rng = np.random.default_rng(1)
for part in range(2):
    scores = np.add(rng.normal(size=(3000, 4)).round(2), [0.3, 0.2, 0.1, 0])
    scores[:500, 2] = np.nan
    ids = np.arange(3000) + 3000 * part
    columns = {"task": np.where(ids % 3, "x", "y"), "id": ids}
    columns |= {system: scores[:, i] for i, system in enumerate("ABCD")}
    pq.write_table(pa.table(columns), f"data/{part}.parquet", write_page_checksum=True)
