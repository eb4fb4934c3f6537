# pandas: groups, dates with time zones, files in several formats.
# run: /usr/bin/python3 tables.py
# needs: python3-pandas
# limits: {memory: 1Gi}
import pandas as pd

frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=100, freq="h", tz="Europe/Berlin"), "n": range(100)})
days = frame.groupby(frame.when.dt.date).n.sum()
frame.to_csv("frame.csv")
frame.to_json("frame.json")
assert len(pd.read_csv("frame.csv")) == 100 and days.sum() == 4950
print(days.head(2).to_dict())
print("ok")
