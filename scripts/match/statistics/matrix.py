"""The little linear algebra that ratings need, without a library."""

import math
from collections.abc import Sequence

Matrix = list[list[float]]


def inverse(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Invert a symmetric positive definite matrix by its Cholesky factor.

    ValueError when it is not positive definite.
    """
    size = len(matrix)
    # Row i of the inverse of the factor, made as the factor's rows are.
    factor: Matrix = []
    columns: Matrix = []
    for i in range(size):
        row: list[float] = []
        for j in range(i):
            dot = math.fsum(row[k] * factor[j][k] for k in range(j))
            row.append((matrix[i][j] - dot) / factor[j][j])
        rest = matrix[i][i] - math.fsum(value * value for value in row)
        if not rest > 0:
            raise ValueError("the matrix is not positive definite")
        row.append(math.sqrt(rest))
        factor.append(row)
        columns.append(
            [-math.fsum(row[k] * columns[k][j] for k in range(j, i)) / row[i] for j in range(i)]
            + [1 / row[i]]
        )
    return [
        [
            math.fsum(columns[k][i] * columns[k][j] for k in range(max(i, j), size))
            for j in range(size)
        ]
        for i in range(size)
    ]
