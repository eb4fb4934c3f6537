# scikit-learn on several processes, with psutil.
# run: python3 grid_search.py
# needs: python3-sklearn python3-psutil
# limits: {memory: 2Gi, cpuTime: 100s, pids: 128}
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
import psutil
if __name__ == "__main__":
    g = GridSearchCV(SVC(), {"C": [1, 10]}, n_jobs=2).fit(*load_iris(return_X_y=True))
    print(g.best_score_, psutil.virtual_memory().total, psutil.cpu_count()); print("ok")
