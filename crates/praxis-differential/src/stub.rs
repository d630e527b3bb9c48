//! The program that every name in the jail stands for: it asks what to say and how to end, says it, and ends.
//!
//! It is made by hand so that starting it costs next to nothing: no libraries, no memory of its own, three calls.

/// The number of a system call that does not exist: the watcher answers it with a [`Role`].
pub(crate) const ASK: u32 = 0x7777;
/// What a stub may print; each is chosen to mean something if the shell makes words of it.
pub(crate) const TEXTS: [&str; 8] =
    ["", "a.txt\n", "sub dir\n", "-x\n", "*.txt\n", "/o/f\n", "../f\nb.c\n", "$(ls) `ls` ;ls\n"];

const SLOT: usize = 32;
const BASE: u64 = 0x40_0000;
const HEADERS: usize = 64 + 56;

/// How a stub behaves: which text it prints, whether it fails.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Role(u32);

impl Role {
    /// Any number is a role.
    pub(crate) fn new(number: u64) -> Self {
        Self((number & 0xf) as u32)
    }

    /// The same, but what it prints are names that its folder may have.
    pub(crate) fn listing(self) -> Self {
        Self((((self.0 >> 1) % 3) << 1) | (self.0 & 1))
    }

    /// The answer to [`ASK`].
    pub(crate) fn answer(self) -> i64 {
        i64::from(self.0)
    }
}

/// An executable file for this machine.
pub(crate) fn elf() -> Vec<u8> {
    let mut code = Vec::new();
    code.push(0xb8);
    code.extend(ASK.to_le_bytes()); // mov eax, ASK
    code.extend([0x0f, 0x05]); // syscall
    code.extend([0x89, 0xc3]); // mov ebx, eax
    code.extend([0x89, 0xd9, 0xd1, 0xe9, 0x83, 0xe1, 0x07, 0xc1, 0xe1, 0x05]); // ecx = (ebx >> 1 & 7) * 32
    code.extend([0x48, 0x8d, 0x35]); // lea rsi, [rip + texts]
    let hole = code.len();
    code.extend([0; 4]);
    code.extend([0x48, 0x01, 0xce]); // add rsi, rcx
    code.extend([0x0f, 0xb6, 0x16]); // movzx edx, byte [rsi]
    code.extend([0x48, 0xff, 0xc6]); // inc rsi
    code.extend([0xbf, 1, 0, 0, 0, 0xb8, 1, 0, 0, 0, 0x0f, 0x05]); // write(1, rsi, edx)
    code.extend([0x89, 0xdf, 0x83, 0xe7, 0x01]); // edi = ebx & 1
    code.extend([0xb8, 60, 0, 0, 0, 0x0f, 0x05]); // exit(edi)
    let distance = (code.len() - hole - 4) as u32;
    code[hole..hole + 4].copy_from_slice(&distance.to_le_bytes());
    for text in TEXTS {
        let mut slot = [0; SLOT];
        slot[0] = text.len() as u8;
        slot[1..=text.len()].copy_from_slice(text.as_bytes());
        code.extend(slot);
    }

    let size = (HEADERS + code.len()) as u64;
    let mut file = Vec::with_capacity(HEADERS + code.len());
    file.extend([0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(2_u16.to_le_bytes()); // executable
    file.extend(62_u16.to_le_bytes()); // x86-64
    file.extend(1_u32.to_le_bytes());
    file.extend((BASE + HEADERS as u64).to_le_bytes()); // entry
    file.extend(64_u64.to_le_bytes()); // program headers
    file.extend(0_u64.to_le_bytes()); // no sections
    file.extend(0_u32.to_le_bytes());
    for half in [64_u16, 56, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    file.extend(1_u32.to_le_bytes()); // loaded
    file.extend(5_u32.to_le_bytes()); // read, execute
    for word in [0, BASE, BASE, size, size, 0x1000] {
        file.extend(word.to_le_bytes());
    }
    file.extend(code);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_room_and_a_listing_prints_names() {
        assert!(TEXTS.iter().all(|text| text.len() < SLOT));
        assert!((0..16).all(|number| Role::new(number).listing().answer() < 6));
        assert_eq!(Role::new(0xff).answer(), 0xf);
    }
}
