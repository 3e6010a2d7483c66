//! What the program was given where it asked for a choice (`gabion_choose`), in words.

use gabion_trace::{ChoiceKind, Event, NamedChoice, OpKind, Trace};

/// Choices of one step that are told in words.
const MOST: usize = 4;

/// The choices of a step, in their order. Among how many is known if each was one decision: more than 64 are chosen in parts.
pub(super) fn choices(trace: &Trace, step: usize) -> Vec<NamedChoice> {
    let chosen = |event: &Event| match event {
        Event::Op { op: OpKind::Choose, result, .. } => Some(*result),
        _ => None,
    };
    let values: Vec<u32> = trace.events(&trace.steps[step]).iter().filter_map(chosen).collect();
    let made = trace.made_within(step).filter_map(|index| trace.decisions.get(index));
    let made: Vec<_> = made.filter(|decision| decision.choice.kind == ChoiceKind::Program).collect();
    let whole = values.len() == made.len() && made.iter().zip(&values).all(|(d, value)| d.choice.value == *value);
    let of = |nth: usize| whole.then(|| made[nth].values.len() as u32);
    values.iter().enumerate().map(|(nth, value)| NamedChoice { value: *value, of: of(nth) }).collect()
}

/// `choose 3 (of 0..4)`, for each; `first`: the step begins with it.
pub(super) fn words(choices: &[NamedChoice], first: bool) -> String {
    let one = |choice: &NamedChoice| match choice.of {
        Some(of) => format!("choose {} (of 0..{})", choice.value, of - 1),
        None => format!("choose {}", choice.value),
    };
    let all: Vec<String> = choices.iter().take(MOST).map(one).collect();
    let more = if choices.len() > MOST { format!("; {} more choices", choices.len() - MOST) } else { String::new() };
    let begins = if first || all.is_empty() { "" } else { "; " };
    format!("{begins}{}{more}", all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::words;
    use gabion_trace::NamedChoice;

    #[test]
    fn a_choice_says_its_value_and_among_how_many_if_that_is_known() {
        let choice = |value, of| NamedChoice { value, of };
        assert_eq!(words(&[choice(3, Some(5))], true), "choose 3 (of 0..4)");
        assert_eq!(words(&[choice(3, None), choice(0, Some(2))], false), "; choose 3; choose 0 (of 0..1)");
        assert_eq!(words(&[], false), "");
        let many = vec![choice(1, None); 6];
        assert_eq!(words(&many, true), "choose 1; choose 1; choose 1; choose 1; 2 more choices");
    }
}
