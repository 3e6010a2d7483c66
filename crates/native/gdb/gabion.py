"""gdb's view of a program that gabion runs: its threads, and the switches between them.

The runtime keeps threads as contexts of its own in one kernel thread. Where they are it says in a table, `gabion_debugger`
(crates/runtime/src/debug.rs); everything here is read from that. The interleaving is fixed: however the program is stepped, the
runtime follows the recorded plan.
"""

import os
import re
import struct

import gdb

RUNTIME = "libgabion_rt.so"
FIELDS = "version fibers stride sp fs life step function name current threads switch finish".split()
UNBORN, STARTING, LIVE, ENDED = range(4)
# What a switch saves, from the stack pointer up: control words, then these, then where it goes on.
SAVED = "r15 r14 r13 r12 rbx rbp".split()
CONTEXT = 8 + 8 * len(SAVED)
# Where sources are that are not the program's own.
LIBRARIES = ("/usr/include/", "/usr/lib/", "/rustc/", "/rust/deps/")
ELSEWHERE = ("/include/c++/", "/lib/rustlib/src/rust/library/")
# Bytes of the call instruction that compilers use for hooks.
CALL = 5


def read(at, form):
    size = struct.calcsize(form)
    return struct.unpack(form, gdb.selected_inferior().read_memory(at, size).tobytes())[0]


def register(name):
    return int(gdb.newest_frame().read_register(name)) & 0xFFFF_FFFF_FFFF_FFFF


def set_register(name, value):
    gdb.newest_frame().select()  # an outer frame's registers are only what it saved
    gdb.execute("with language c -- set $%s = %d" % (name, value), to_string=True)


class Table:
    """Where the runtime keeps its threads."""

    def __init__(self):
        text = gdb.execute("with language c -- output/d (unsigned long)&gabion_debugger", to_string=True)
        at = int(re.match(r"\d+", text).group())  # it may warn of the language behind that
        for index, field in enumerate(FIELDS):
            setattr(self, field, read(at + 8 * index, "<Q"))
        if self.version != 1:
            raise gdb.GdbError("gabion: this script does not belong to the runtime in the program")

    def number(self):
        return read(self.threads, "<Q")

    def running(self):
        return read(self.current, "<Q")

    def field(self, thread, field, form="<Q"):
        return read(self.fibers + thread * self.stride + getattr(self, field), form)

    def called(self, thread):
        raw = gdb.selected_inferior().read_memory(self.fibers + thread * self.stride + self.name, 16).tobytes()
        given = raw.split(b"\0")[0].decode("utf-8", "replace")
        recorded = os.environ.get("GABION_THREADS", "main").split("\n")
        if given or thread < len(recorded) and recorded[thread]:
            return given or recorded[thread]
        text = gdb.execute("info symbol %d" % self.field(thread, "function"), to_string=True)
        return text.split(" ")[0].split("(")[0] if " in section" in text else ""


def table():
    if gdb.selected_inferior().pid == 0:
        raise gdb.GdbError("gabion: the program does not run; type `run`")
    return Table()


def ours(frame):
    """Does a frame belong to the runtime?"""
    return (gdb.solib_name(frame.pc()) or "").endswith(RUNTIME)


def has_source(frame):
    symtab = frame.find_sal().symtab
    return symtab is not None and os.path.exists(symtab.fullname())


def is_library(frame):
    """Is a frame's source a header of a library, or the source of one? As `Frame::is_library` has it."""
    name = frame.find_sal().symtab.fullname()
    return name.startswith(LIBRARIES) or any(part in name for part in ELSEWHERE)


def program_frame():
    """The innermost frame of the program's own source, or else whose source is here, or else that is not the runtime's."""
    frame, first, sourced = gdb.newest_frame(), None, None
    while frame is not None:
        if not ours(frame):
            if has_source(frame):
                if not is_library(frame):
                    return frame
                sourced = sourced or frame
            first = first or frame
        try:
            frame = frame.older()
        except gdb.error:
            break
    return sourced or first


def place(frame):
    if frame is None:
        return "(nowhere in the program)"
    sal = frame.find_sal()
    name = frame.name() or "?"
    if sal.symtab is None:
        return name
    return "%s:%d in %s" % (os.path.basename(sal.symtab.filename), sal.line, name)


class Elsewhere:
    """Another thread is looked at: its registers are in place of the running one's, which are put back before it goes on."""

    kept = None
    thread = None

    @classmethod
    def enter(cls, t, thread):
        cls.leave()
        if thread == t.running():
            return
        life = t.field(thread, "life", "<B")
        if thread >= t.number() or life not in (STARTING, LIVE):
            raise gdb.GdbError("gabion: T%d does not live" % thread)
        names = SAVED + ["rsp", "rip", "fs_base"]
        cls.kept = [(name, register(name)) for name in names]
        cls.thread = thread
        sp = t.field(thread, "sp")
        values = [(name, read(sp + 8 + 8 * index, "<Q")) for index, name in enumerate(SAVED)]
        values += [("rsp", sp + CONTEXT + 8), ("rip", read(sp + CONTEXT, "<Q")), ("fs_base", t.field(thread, "fs"))]
        for name, value in values:
            set_register(name, value)

    @classmethod
    def leave(cls):
        if cls.kept is not None:
            for name, value in cls.kept:
                set_register(name, value)
        cls.kept = cls.thread = None


def caller():
    """The innermost frame of the program, if the runtime was called from there and is at work."""
    frame = gdb.newest_frame()
    while frame is not None and ours(frame):
        frame = frame.older()
    return frame if frame is not None and frame.level() > 0 else None


def announces():
    """Was the runtime only told of an access, which the program then makes itself?"""
    frame = caller()
    if frame is None:
        return False
    text = gdb.selected_inferior().architecture().disassemble(frame.pc() - CALL, count=1)[0]["asm"]
    return "__tsan_" in text and "__tsan_atomic" not in text


def leave_runtime():
    """Goes on to where the program called the runtime. What it waits for may come first."""
    frame = caller()
    if frame is None:
        return
    with State.switch:
        to_place(frame.pc(), int(frame.read_register("rsp")) & 0xFFFF_FFFF_FFFF_FFFF)
    State.due = State.switch.found


def to_place(pc, sp):
    goes_on = gdb.Breakpoint("*%d" % pc, internal=True, temporary=True)
    goes_on.silent = True
    goes_on.condition = "$rsp == %d" % sp
    go_on()
    if goes_on.is_valid():
        goes_on.delete()


def show_here():
    frame = program_frame()
    if frame is not None:
        frame.select()
        if has_source(frame):
            gdb.execute("frame")


class Failure(gdb.Breakpoint):
    """The run's end, as the runtime sees it."""

    def __init__(self, t):
        super().__init__("*%d" % t.finish, internal=True)
        self.silent = True
        self.there = False
        self.ending = None

    def stop(self):
        self.there = True
        self.ending = register("rdi") & 0xFF
        return True


class Switch(gdb.Breakpoint):
    """A thread hands over to another, and not only for that one to come to its first point.

    All of them are counted, so that each has its number in the interleaving; the program stops at one only `with` this."""

    def __init__(self, t):
        super().__init__("*%d" % t.switch, internal=True)
        self.silent = True
        self.table = t
        self.wanted = False
        self.count = 0
        self.found = None

    def __enter__(self):
        self.wanted, self.found = True, None

    def __exit__(self, *_):
        self.wanted = False

    def stop(self):
        t = self.table
        left = (register("rdi") - t.fibers - t.sp) // t.stride
        to = t.running()
        if not 0 <= left < t.number() or left == to:
            return False
        if t.field(to, "life", "<B") == STARTING or t.field(left, "step", "<I") == 0:
            return False
        self.count += 1
        self.found = (self.count, left, to, register("rsi"))
        return self.wanted


class State:
    failure = None
    switch = None
    # A switch at which the program stands.
    due = None


def watch():
    """For the end of the run, and for switches."""
    t = table()
    if State.failure is None or not State.failure.is_valid():
        State.failure = Failure(t)
    if State.switch is None or not State.switch.is_valid():
        State.switch = Switch(t)
    State.failure.there = False


def go_on():
    """Continues; gives what gdb says, without the runtime's own places."""
    Elsewhere.leave()
    return gdb.execute("continue", to_string=True)


def at_the_end():
    recorded = int(os.environ.get("GABION_ENDING", "0"))
    ending = State.failure.ending if State.failure.there else recorded
    bug = os.environ.get("GABION_BUG", "")
    if ending == recorded and os.environ.get("GABION_CHANGED"):
        gdb.write("The run ends here in the way that was recorded, of a program that has changed since; recorded was: %s\n" % bug)
    elif ending == recorded:
        gdb.write("The run ends here: %s\n" % bug)
    else:
        gdb.write("The run ends here, and not as it was recorded: the program has changed since.\n")
    show_here()


def is_over():
    """Does the run stand at its end? Nothing is to come after that."""
    known = State.failure is not None and State.failure.is_valid() and State.failure.there
    return known and gdb.selected_inferior().pid != 0


class Gabion(gdb.Command):
    """Follow a recorded interleaving: gabion next-switch, to-failure, threads, thread."""

    def __init__(self):
        super().__init__("gabion", gdb.COMMAND_RUNNING, prefix=True)


class NextSwitch(gdb.Command):
    """Go on to the next switch of threads, and stop in the thread that goes on there: gabion next-switch [COUNT]"""

    def __init__(self):
        super().__init__("gabion next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        count = argument.strip() or "1"
        if not re.fullmatch(r"[1-9]\d*", count, re.ASCII):
            raise gdb.GdbError("gabion next-switch takes a number of switches, 1 or more, not %r" % count)
        for _ in range(int(count)):
            if not self.once():
                return

    def once(self):
        if is_over():
            at_the_end()
            return False
        t = table()
        watch()
        found, State.due = State.due, None
        if found is None:
            with State.switch:
                said = go_on()
            found = State.switch.found
        if found is None:
            if State.failure.there:
                at_the_end()
            else:
                gdb.write(said)
            return False
        number, left, to, sp = found
        to_place(read(sp + CONTEXT, "<Q"), sp + CONTEXT + 8)
        gdb.write("Switch %d: from T%d (%s) to T%d (%s)\n" % (number, left, t.called(left), to, t.called(to)))
        if announces():
            leave_runtime()
        if State.failure.there:
            at_the_end()
        else:
            show_here()
        return True


class ToFailure(gdb.Command):
    """Go on to where the run fails: gabion to-failure"""

    def __init__(self):
        super().__init__("gabion to-failure", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if is_over():
            at_the_end()
            return
        watch()
        State.due = None
        panics = None
        if os.environ.get("GABION_BUG", "").startswith("panic"):
            panics = gdb.Breakpoint("rust_panic", internal=True, temporary=True)
            panics.silent = True
        said = go_on()
        if State.failure.there or panics is not None and not panics.is_valid():
            at_the_end()
        else:
            gdb.write(said)
        if panics is not None and panics.is_valid():
            panics.delete()


class Threads(gdb.Command):
    """List the program's threads, each with where it is; `gabion threads full` with their stacks."""

    def __init__(self):
        super().__init__("gabion threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        t = table()
        seen = Elsewhere.thread if Elsewhere.thread is not None else t.running()
        for thread in range(t.number()):
            life = t.field(thread, "life", "<B")
            if life == UNBORN:
                continue
            mark = "*" if thread == seen else " "
            if life == ENDED:
                gdb.write("%s T%d %s: has ended\n" % (mark, thread, t.called(thread)))
                continue
            Elsewhere.enter(t, thread)
            gdb.write("%s T%d %s: %s\n" % (mark, thread, t.called(thread), place(program_frame())))
            if argument.strip() == "full":
                gdb.execute("backtrace")
        Elsewhere.enter(t, seen)
        frame = program_frame()
        if frame is not None:
            frame.select()


class Thread(gdb.Command):
    """Look at another thread, or do something there: gabion thread N [COMMAND]

    Until the program goes on, its stack and variables are those that gdb shows. With a command, that is done in the
    innermost frame of the program and nothing else changes: gabion thread 2 info locals"""

    def __init__(self):
        super().__init__("gabion thread", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        words = argument.strip().split(None, 1)
        if not words or not words[0].lstrip("T").isdigit():
            raise gdb.GdbError("gabion thread N [COMMAND]: which thread? `gabion threads` lists them")
        t = table()
        thread = int(words[0].lstrip("T"))
        if thread >= t.number():
            raise gdb.GdbError("gabion: there is no T%d" % thread)
        before = Elsewhere.thread
        Elsewhere.enter(t, thread)
        frame = program_frame()
        if frame is not None:
            frame.select()
        if len(words) == 1:
            show_here()
            if thread != t.running():
                gdb.write("(thread_local variables are those of T%d, which runs)\n" % t.running())
            return
        try:
            gdb.execute(words[1])
        finally:
            Elsewhere.enter(t, t.running() if before is None else before)
            frame = program_frame()
            if frame is not None:
                frame.select()


class Forget(gdb.Command):
    """The program is started again: what was known of it is forgotten."""

    def __init__(self):
        super().__init__("gabion forget", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for known in (State.failure, State.switch):
            if known is not None and known.is_valid():
                known.delete()
        State.failure = State.switch = State.due = None
        Elsewhere.kept = Elsewhere.thread = None


class PutBack(gdb.Command):
    """Go back to the thread that runs: gabion back. Commands that let the program go on do so by themselves."""

    def __init__(self):
        super().__init__("gabion back", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        Elsewhere.leave()
        if gdb.selected_inferior().pid != 0:
            watch()


class ToProgram(gdb.Command):
    """Go on to the program's own code, if the runtime is at work: gabion to-program. Stepping does so by itself."""

    def __init__(self):
        super().__init__("gabion to-program", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        Elsewhere.leave()
        if gdb.selected_inferior().pid != 0:
            watch()
            leave_runtime()


class NoRuntime:
    """Stacks without the runtime's frames."""

    name = "gabion"
    priority = 100
    enabled = True

    def filter(self, frames):
        return (frame for frame in frames if not ours(frame.inferior_frame()))


def stopped(event):
    """Whatever let the program go on, its end is told."""
    if State.failure is not None and State.failure.there:
        at_the_end()


for command in (Gabion, NextSwitch, ToFailure, Threads, Thread, PutBack, ToProgram, Forget):
    command()
gdb.frame_filters[NoRuntime.name] = NoRuntime()
gdb.events.stop.connect(stopped)
for word in "continue stepi nexti finish advance jump call".split():
    gdb.execute("define hook-%s\ngabion back\nend" % word)
for word in "step next until".split():
    gdb.execute("define hook-%s\ngabion to-program\nend" % word)
for word in "run start starti kill".split():
    gdb.execute("define hook-%s\ngabion forget\nend" % word)
# These are how the runtime sees faults, system calls and hangs.
gdb.execute("handle SIGSEGV SIGBUS SIGFPE SIGILL SIGSYS SIGURG nostop noprint pass", to_string=True)
gdb.execute("skip -gfi */runtime/src/*.rs", to_string=True)
gdb.execute("set pagination off")
