//! Formatted input. What was stored is announced afterwards: the number of assignments and the length of strings are
//! known only then, and nobody runs in between.

use super::format::{Arguments, Format, Use};
use super::pass::Then;
use super::stdio::standard_input;
use super::touch::{self, R, W};
use super::{locks, plain};
use gabion_trace::AccessKind;

const PLACES: usize = 16;

fn places(format: u64, arguments: Arguments, text: u64) -> [(u64, AccessKind); PLACES] {
    let mut found = [(0, R); PLACES];
    found[0] = (text, R);
    found[1] = (format, R);
    found[2] = (touch::locale(), R);
    let mut n = 3;
    Format::input(format).each(arguments, |_, argument, _| {
        if n < PLACES {
            found[n] = (argument, W);
            n += 1;
        }
    });
    found
}

/// What `assigned` conversions have stored. Those that only count follow the last of them as far as they go.
fn stored(format: &Format, arguments: Arguments, assigned: i32, pc: u64) {
    let mut left = assigned.max(0);
    format.each(arguments, |what, argument, width| {
        if let Use::Count(bytes) = what {
            if left >= 0 {
                touch::variable(argument, bytes as usize, W, pc);
            }
            return;
        }
        left -= 1;
        if left < 0 {
            return;
        }
        let bytes = match what {
            Use::Number(bytes) => return touch::variable(argument, bytes as usize, W, pc),
            Use::Characters(size) => width as usize * size as usize,
            Use::Store => plain::length(argument as *const u8) + 1,
            Use::WideStore => (plain::wide_length(argument as *const u32) + 1) * 4,
            _ => 0,
        };
        touch::write(argument, bytes, pc);
    });
}

/// The part that is the same for streams and strings, after the point. The format is read before the call because the
/// call may overwrite it.
fn input(format: u64, arguments: Arguments, pc: u64, call: impl FnOnce(&mut Arguments) -> i32) -> Then {
    let understood = Format::input(format);
    touch::read(format, understood.length + 1, pc);
    touch::reads_locale(pc);
    let mut list = arguments;
    let assigned = call(&mut list);
    stored(&understood, arguments, assigned, pc);
    Then::Return(assigned as u32 as u64)
}

/// Defines the six functions of one dialect.
macro_rules! dialect {
    ($scanf:ident $vscanf:ident $fscanf:ident $vfscanf:ident $sscanf:ident $vsscanf:ident) => {
        const _: () = {
            fn stream(file: u64, format: u64, arguments: Arguments, pc: u64) -> Then {
                locks::stream(file, &places(format, arguments, 0), pc);
                // SAFETY: the program's arguments.
                input(format, arguments, pc, |l| unsafe {
            real!($vfscanf: fn(u64, u64, *mut Arguments) -> i32)(file, format, l)
                })
            }
            fn text(from: u64, format: u64, arguments: Arguments, pc: u64) -> Then {
                touch::point(&places(format, arguments, from), pc);
                touch::string(from, pc);
                // SAFETY: the program's arguments.
                input(format, arguments, pc, |l| unsafe {
            real!($vsscanf: fn(u64, u64, *mut Arguments) -> i32)(from, format, l)
                })
            }
            pass! {
                $scanf => |c, _| { let l = c.rest(1); stream(standard_input(c.pc()), c.a[0], l, c.pc()) };
                $vscanf => |c, _| stream(standard_input(c.pc()), c.a[0], Arguments::at(c.a[1]), c.pc());
                $fscanf => |c, _| { let l = c.rest(2); stream(c.a[0], c.a[1], l, c.pc()) };
                $vfscanf => |c, _| stream(c.a[0], c.a[1], Arguments::at(c.a[2]), c.pc());
                $sscanf => |c, _| { let l = c.rest(2); text(c.a[0], c.a[1], l, c.pc()) };
                $vsscanf => |c, _| text(c.a[0], c.a[1], Arguments::at(c.a[2]), c.pc());
            }
        };
    };
}

// ABI: stdio.h, and the names that the standards' dialects are redirected to. The oldest takes `%as` as an allocation,
// which is here taken for a number: that spelling died out with the C90 dialect.
dialect! { scanf vscanf fscanf vfscanf sscanf vsscanf }
dialect! {
    __isoc99_scanf __isoc99_vscanf __isoc99_fscanf __isoc99_vfscanf __isoc99_sscanf __isoc99_vsscanf
}
dialect! {
    __isoc23_scanf __isoc23_vscanf __isoc23_fscanf __isoc23_vfscanf __isoc23_sscanf __isoc23_vsscanf
}
