import io
import subprocess
import sys

from plumbline.models.progress import Progress
from plumbline.records import Usage


class Stream(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


def run(terminal, seconds_each=2.0, **settings):
    """Ten items of cell a and ten of cell b; gives what was written."""
    now = [100.0]
    stream = Stream(terminal)
    progress = Progress("judge main", 20, {"a": 10, "b": 10}, stream, now=lambda: now[0], **settings)
    for number in range(20):
        now[0] += seconds_each
        progress.item_done("a" if number < 10 else "b", Usage(prompt_tokens=100, completion_tokens=10))
    progress.close()
    return stream.getvalue()


def test_a_line_comes_every_ten_seconds_and_one_for_each_finished_cell():
    lines = run(terminal=False).splitlines()
    assert lines[0].startswith("judge main: 5/20 items, 0.5/s, 30 s left, 500 prompt and 50 answer tokens")
    assert lines[0].endswith("  [a 5/10, 0.5/s, 10 s left]")
    assert "judge main: a 10/10, 0.5/s" in lines
    assert "judge main: b 10/10, 0.5/s" in lines
    assert lines[-1] == "judge main: 20/20 items, 0.5/s, 2,000 prompt and 200 answer tokens"
    assert len(lines) == 40 // 10 + 2 + 1


def test_the_interval_can_be_set():
    assert len(run(terminal=False, every_s=20.0).splitlines()) == 40 // 20 + 2 + 1


def test_in_a_terminal_one_line_is_written_over_and_over():
    text = run(terminal=True)
    assert text.count("\n") == 3
    assert text.count("\r") == 20 + 3


def test_items_of_the_journal_do_not_count_for_the_rate():
    now = [0.0]
    stream = Stream(terminal=False)
    progress = Progress("judge main", 110, stream=stream, now=lambda: now[0])
    for _ in range(100):
        progress.item_done("main", reused=True)
    now[0] = 10.0
    progress.item_done("main")
    # nine items at one in ten seconds are 90 s, shown as minutes
    assert stream.getvalue() == "judge main: 101/110 items, 100 from the journal, 0.1/s, 2 min left\n"


JOB = """
from plumbline.models.progress import Progress
progress = Progress("judge main", 3, every_s=0.000001)
for _ in range(3):
    progress.item_done("a")
progress.close()
"""


def test_a_log_that_tee_writes_has_lines_and_no_carriage_return(tmp_path):
    log = tmp_path / "job.txt"
    command = '"$0" -c "$1" 2>&1 | tee "$2" >&2'
    subprocess.run(["/bin/sh", "-c", command, sys.executable, JOB, log], check=True, capture_output=True)
    assert b"\r" not in log.read_bytes()
    assert len(log.read_text().splitlines()) == 3 + 1
