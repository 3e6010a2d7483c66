//! What a campaign works on.

use gabion_native::{Local, Native};
use gabion_trace::{Address, Caveat, Frame, Plan, RunError, Standing, Target, Trace};

/// A target that can also confirm a run and name what is in it.
pub trait Subject: Target {
    /// One run in a process that has run nothing before, with what the program printed.
    fn confirm(&mut self, plan: &Plan) -> Result<(Trace, String), RunError>;
    /// What is known by now that a verdict cannot claim.
    fn caveats(&self) -> Vec<Caveat>;
    /// What is one too once a thread has touched the stack of another.
    fn stack_caveats(&self) -> Vec<Caveat>;
    /// What is one too once a run has called what nobody models.
    fn call_caveat(&self) -> Option<Caveat>;
    /// Hash of the program.
    fn program_hash(&self) -> u64;
    /// The source places of an instruction, innermost first.
    fn frames(&mut self, pc: u64) -> Vec<Frame>;
    /// The name of an object, or of that many bytes of memory.
    fn object(&mut self, address: Address, size: u64) -> String;
    /// The name of the function that holds an instruction.
    fn function(&mut self, pc: u64) -> String;
    /// The global variable at an address, and the offset in it.
    fn variable(&mut self, address: u64) -> Option<(String, u64)>;
    /// The local variable that bytes of a stack are of.
    fn local(&mut self, _standing: &Standing, _address: u64, _size: u64) -> Option<Local> {
        None
    }
}

impl Subject for Native {
    fn confirm(&mut self, plan: &Plan) -> Result<(Trace, String), RunError> {
        Native::confirm(self, plan)
    }
    fn caveats(&self) -> Vec<Caveat> {
        Native::caveats(self)
    }
    fn stack_caveats(&self) -> Vec<Caveat> {
        Native::stack_caveats(self)
    }
    fn call_caveat(&self) -> Option<Caveat> {
        Native::call_caveat(self)
    }
    fn program_hash(&self) -> u64 {
        Native::program_hash(self)
    }
    fn frames(&mut self, pc: u64) -> Vec<Frame> {
        self.symbols().frames(pc)
    }
    fn object(&mut self, address: Address, size: u64) -> String {
        self.symbols().object(address, size)
    }
    fn function(&mut self, pc: u64) -> String {
        self.symbols().function(pc)
    }
    fn variable(&mut self, address: u64) -> Option<(String, u64)> {
        self.symbols().variable(address)
    }
    fn local(&mut self, standing: &Standing, address: u64, size: u64) -> Option<Local> {
        self.symbols().local(standing, address, size)
    }
}
