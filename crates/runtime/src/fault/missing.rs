//! Instructions that exist, but not in every processor, by their first bytes (Intel's manual, volume 2, appendix A).

/// An instruction of a hardware transaction.
pub fn transactional(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0xc7, 0xf8, ..] | [0x66, 0xc7, 0xf8, ..] => "the transactional instruction xbegin",
        [0xc6, 0xf8, ..] => "the transactional instruction xabort",
        [0x0f, 0x01, 0xd5, ..] => "the transactional instruction xend",
        [0x0f, 0x01, 0xd6, ..] => "the transactional instruction xtest",
        _ => return None,
    })
}

/// The extension that an instruction belongs to.
pub fn extension(bytes: &[u8]) -> Option<&'static str> {
    let is_prefix = |byte: &u8| matches!(byte, 0x66 | 0xf2 | 0xf3 | 0xf0 | 0x2e | 0x3e | 0x64 | 0x65 | 0x40..=0x4f);
    let prefixes = bytes.iter().take_while(|byte| is_prefix(byte)).count();
    Some(match &bytes[prefixes..] {
        [0x62, ..] => "an instruction of AVX-512 or AVX10, which this processor does not have",
        [0xc4 | 0xc5, ..] => "an instruction of AVX, AVX2, FMA, BMI or AMX, which this processor does not have",
        [0x8f, modrm, ..] if modrm & 0x1f >= 8 => "an instruction of XOP, which this processor does not have",
        [0x0f, 0x38 | 0x3a, ..] => {
            "an instruction of SSE4, AES, SHA, ADX or another extension, which this processor does not have"
        }
        [0x0f, 0xc7, ..] => "the instruction rdrand, rdseed, rdpid or cmpxchg16b, which this processor does not have",
        [0x0f, 0x01 | 0xae | 0xb8 | 0xbc | 0xbd | 0x0d, ..] => {
            "an instruction of an extension that this processor does not have"
        }
        _ => return None,
    })
}
