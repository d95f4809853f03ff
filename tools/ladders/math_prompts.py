"""What stands above the tasks of each ladder of Math & Reasoning."""

from __future__ import annotations

_ONLY = """\
Write the answers only, at once, without working and without any other text: one line for each task, in the order of
the tasks, with the label, a colon and the number. Answer every task; where you are not sure, give your best guess.
The first line begins with "{first}:".

"""

PRODUCTS = """\
Thirty-eight tasks of three kinds, each kind from easy to very hard.
A: Add the two numbers.
P: Multiply the two numbers.
R: Divide the first whole number by the second and give the remainder (17 mod 5 is 2, as 17 = 3 · 5 + 2).

""" + _ONLY.format(first="A1")

TRACE = """\
Three machines work in steps: step 1, step 2, step 3 and so on.

Machine R has one number, r = {begin} at the start. In every step r becomes r + {more}.

Machine T has one number, x = 9 at the start. In step n, x becomes x / 2 + n if x is even, and x + n if x is odd.

Machine S has four numbers: a = 2, b = 3, c = 5, d = 7 at the start. Every step consists of these four lines, in this
order, and each line uses the newest values:

1. a becomes a + d.
2. If a is even, b becomes b + 3; if a is odd, b becomes b + a.
3. If c is less than b, c becomes c + b; otherwise c becomes c - b.
4. If d is less than c, d becomes 2 * d + 1; otherwise d becomes d - c.

In all machines only the last two digits of every new value are kept (118 becomes 18, 205 becomes 5).

What are the numbers after step {steps}? (Of machine R, only up to step {last}.)

At the start, before step 1, this is how the numbers are written: one line for r of R, one for x of T, and one for a, b, c
and d of S.
R0: {begin}
T0: 9
S0: 2 3 5 7

Write the numbers after these steps in the same way, at once, without working and without any other text: {count} lines.
Where you are not sure, give your best guess. The lines begin with:
{labels}"""

WORDS = """\
Fifteen stories, from short to very long. In each, Ada, Mia and Eva have some coins at the start, and then one thing
happens after the other. How many coins does each of them have at the end?

Write the answers only, at once, without working and without any other text: one line for each story, in the order of
the stories, with the label of the story, a colon, and three numbers separated by spaces: the coins of Ada, of Mia and
of Eva. Answer every story; where you are not sure, give your best guess. The first line begins with "W1:".

"""

COUNTING = """\
Fifty-five tasks of four kinds, each kind from easy to hard.
N: The numbers of the row change by the same amount each time. Which number comes next?
L: How many times does the letter occur in the string?
I: In how many pairs of numbers of the row is the earlier one larger than the later one? (In the row 5 3 4 there are 2.)
G: A grid has so many rows × columns. How many ways lead from the square in the first row and first column to the one in
   the last row and last column, if each move goes one square to the right or one square down, and blocked squares
   (row,column) may not be entered?

""" + _ONLY.format(first="N1")

FUNCTIONS = """\
Sixty tasks of four kinds, each kind from easy to very hard.
E: What is the value?
F: Three functions of whole numbers are given.
   f(n) is n / 2 if n is even, and n + 101 if n is odd.
   g(n) is 7 * n + 5, of which only the last three digits are kept (1245 becomes 245).
   h(n) is 1000 - n if n is greater than 500, and 2 * n + 3 otherwise.
   Several letters mean one function after the other, from right to left: fgh(5) is f(g(h(5))). What is the value?
B: Which number, written in the usual base 10, is this?
M: What is the remainder when the power is divided by the number? (2^4 mod 5 is 1.)

""" + _ONLY.format(first="E1")
