"""The closed forms against a statistics library."""

import pytest
from scipy import stats

from probatio.core.statistics.distributions import chi2_above, t_quantile, t_two_sided


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 18, 19, 94, 301])
def test_students_t_is_the_librarys(df: int) -> None:
    for t in (0.0, 0.1, 1.0, -2.0, 3.5, 8.0):
        assert t_two_sided(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), abs=1e-12)
    for outside in (0.5, 0.05, 0.001):
        assert t_quantile(df, outside) == pytest.approx(stats.t.isf(outside / 2, df), rel=1e-8)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 12, 25, 60])
def test_chi_squared_is_the_librarys(df: int) -> None:
    for value in (0.0, 0.01, 1.0, 5.0, 30.0, 200.0):
        assert chi2_above(value, df) == pytest.approx(stats.chi2.sf(value, df), rel=1e-9, abs=1e-15)
