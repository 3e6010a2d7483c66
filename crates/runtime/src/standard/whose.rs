//! Whose an access is.
//!
//! It is looked up by its instruction, and where that lies in a helper (`core::sync::atomic`, `Arc`), by the call sites above it: at
//! higher levels of optimisation these are inlined, at lower ones they are calls. Of a library that was rebuilt, what is neither
//! a model nor trusted is a helper too, so all that it does belongs to whoever called it: the program, or a part of the library
//! that is trusted (printing, panics, threads that begin and end). Locks and their like, found on the way there, are what they are
//! only if the program asked for them.

use super::{known, last_from, standard};
use crate::aside;
use crate::state::{g, shadow_top};
use gabion_trace::shared::flag;
use gabion_trace::standard::{INSIDE, SITE, Site};

/// Callers that are asked at most. What is deeper is the program's.
const CALLERS: u64 = 64;

/// What the table says about an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Whose {
    pub(super) site: Site,
    /// It was compiled with the library.
    pub(super) inside: bool,
}

impl Whose {
    pub(super) const NOBODY: Whose = Whose { site: Site::Own, inside: false };

    pub(super) fn from_word(word: u32) -> Whose {
        Whose { site: Site::from_number(word as u8).unwrap_or(Site::Own), inside: word & INSIDE != 0 }
    }

    /// Code of the library that announces what it does.
    pub(super) fn is_seen_inside(self) -> bool {
        self.inside && !self.site.is_trusted()
    }

    /// What it means to the plan: how threads begin and end is trusted, and locks within an operation are part of it, unless the
    /// library's insides are under test. What nobody instrumented stays so.
    fn in_plan(self) -> Whose {
        let apart = standard().apart && (!self.inside || standard().rebuilt);
        let site = match self.site {
            Site::Start | Site::StartInside if apart && self.inside => Site::StartInside, // callers have a say
            Site::Start | Site::StartInside if apart => Site::Own,
            Site::Start => Site::Trusted,
            Site::StartInside => Site::Library,
            Site::BeginLock | Site::PartLock if apart => Site::Lock,
            Site::PartUnlock if apart => Site::Unlock,
            Site::BeginLock => Site::Begin,
            Site::PartLock | Site::PartUnlock => Site::Part,
            site => site,
        };
        Whose { site, ..self }
    }

    /// Do callers have a say?
    fn is_open(self) -> bool {
        self.site == Site::Caller || self.inside && !matches!(self.site, Site::Own | Site::Trusted | Site::Library)
    }

    /// The same, called from `caller`.
    fn called_from(self, caller: Whose) -> Whose {
        match (self.site, caller.site) {
            (Site::Caller, _) => caller,
            (_, Site::Trusted | Site::Library) if caller.inside => caller,
            _ => Whose { site: self.site, inside: caller.is_open() && caller.inside },
        }
    }
}

/// Whose is an access at this instruction of the running thread?
#[inline(always)]
pub fn site(pc: u64) -> Site {
    if standard().sites.is_empty() {
        return Site::Own;
    }
    let whose = at(pc);
    if whose.is_open() { ask_callers(whose) } else { in_one_step(whose.site) }
}

#[inline(never)]
fn ask_callers(mut whose: Whose) -> Site {
    let (base, mut top) = (aside::shadow_base(g().current), shadow_top());
    let last = top.saturating_sub(CALLERS * 8).max(base);
    while whose.is_open() && top > last {
        top -= 8;
        // SAFETY: between the base and the top of the shadow call stack.
        let call = unsafe { *(top as *const u64) }.wrapping_sub(1);
        if is_program(call) {
            whose = whose.called_from(at(call));
        }
    }
    match whose.site {
        // Under test, and nobody who is trusted asked for it.
        Site::StartInside => Site::Own,
        // Nobody but the library is on the stack.
        _ if whose.is_open() && whose.inside && top == base => Site::Library,
        Site::Caller => Site::Own,
        site => in_one_step(site),
    }
}

/// The same, where operations are one step, and otherwise taken apart.
#[inline(always)]
fn in_one_step(site: Site) -> Site {
    let of_operation = matches!(site, Site::Begin | Site::Part | Site::Wake);
    if of_operation && standard().apart { taken_apart(site) } else { site }
}

/// An access of an operation that is not to be one step.
fn taken_apart(site: Site) -> Site {
    if site == Site::Wake { Site::Unpark } else { Site::Own }
}

/// Does this address lie in the executable? The C library and our own runtime are on call stacks too.
fn is_program(at: u64) -> bool {
    let (from, to) = standard().code;
    (from..to).contains(&at)
}

/// Is there such a library in the program?
pub fn present() -> bool {
    !standard().sites.is_empty()
}

/// Is what this instruction does trusted? That of code which nobody instrumented is too.
#[inline(always)]
pub fn trusts(pc: u64) -> bool {
    matches!(site(pc), Site::Trusted | Site::Library)
}

/// Does this instruction lie in code that was compiled with the library?
pub fn is_library(pc: u64) -> bool {
    present() && at(pc).inside
}

/// Is this instruction, which makes a plain access, part of an operation of the library?
#[inline(always)]
pub fn is_part(pc: u64) -> bool {
    matches!(site(pc), Site::Begin | Site::Part)
}

/// Is it the library's own business what this instruction gives back?
pub fn owns(pc: u64) -> bool {
    alone(pc) || site(pc) == Site::Trusted
}

/// Who asks for memory at this instruction, or gives it back: helpers of a library that was rebuilt do so for whoever called them.
#[inline(always)]
pub fn asker(pc: u64) -> u64 {
    if standard().rebuilt { outside_helpers(pc) } else { pc }
}

fn outside_helpers(pc: u64) -> u64 {
    const HELPER: Whose = Whose { site: Site::Caller, inside: true };
    let (mut asks, base, mut top) = (pc, aside::shadow_base(g().current), shadow_top());
    let last = top.saturating_sub(CALLERS * 8).max(base);
    while at(asks) == HELPER && top > last {
        top -= 8;
        // SAFETY: between the base and the top of the shadow call stack.
        asks = unsafe { *(top as *const u64) }.wrapping_sub(1);
    }
    if is_program(asks) { asks } else { pc }
}

/// Is the running thread in code of the library alone: before the program's code in it begins, or after it has ended, or in the
/// harness of a test binary? What it does there for itself is no point.
#[inline(always)]
pub fn alone(pc: u64) -> bool {
    let s = standard();
    let (thread, top) = (g().current, shadow_top());
    if s.sites.is_empty() {
        return false;
    }
    let base = aside::shadow_base(thread);
    let harness = thread == 0 && s.harness != 0 && top >= s.harness;
    top == base || harness && top == s.harness || s.rebuilt && is_alone_from(if harness { s.harness } else { base }, pc)
}

/// Is there nothing of the program's on the stack from here on?
fn is_alone_from(base: u64, pc: u64) -> bool {
    let of_library = |at: u64| !is_program(at) || self::at(at).inside;
    // SAFETY: between the base and the top of the shadow call stack, which holds return addresses.
    let call = |i: u64| unsafe { *((base + i * 8) as *const u64) }.wrapping_sub(1);
    of_library(pc) && (0..(shadow_top() - base) / 8).all(|i| of_library(call(i)))
}

/// Is what this instruction does trusted, whoever called it, and is that known already?
#[inline(always)]
pub fn surely_trusts(pc: u64) -> bool {
    known::get(pc).is_some_and(|whose| matches!(whose.site, Site::Trusted | Site::Library))
}

/// Is it known already whose this instruction is? In a program without such a library it is nobody's.
#[inline(always)]
pub fn is_known(pc: u64) -> bool {
    known::get(pc).is_some() || standard().sites.is_empty()
}

/// What the table says about one instruction, and what that means to the plan.
#[inline(always)]
fn at(pc: u64) -> Whose {
    known::get(pc).unwrap_or_else(|| find(pc))
}

#[cold]
fn find(pc: u64) -> Whose {
    let s = standard();
    let offset = pc.wrapping_sub(s.slide);
    let entry = last_from(s.sites, SITE, offset);
    let found = entry.filter(|e| offset < u64::from(e[1])).map(|e| Whose::from_word(e[2]));
    let whose = found.unwrap_or(Whose::NOBODY).in_plan();
    known::put(pc, whose);
    whose
}

/// Takes a plan: whether the library's insides are under test decides what the table means.
pub fn load() {
    let (s, apart) = (standard(), g().plan.flags & flag::INSIDE_STD != 0);
    if s.apart != apart {
        s.apart = apart;
        known::forget();
    }
}
