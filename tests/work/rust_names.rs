// SPDX-License-Identifier: GPL-2.0-or-later
//! rust_names [SECONDS] - works in Rust functions whose names need demangling, a generic among them.
use std::hint::black_box;
use std::time::{Duration, Instant};

mod rusty {
    use std::hint::black_box;

    pub trait Churn {
        fn churn(&mut self, rounds: u32);
    }

    pub struct Holder<T> {
        pub value: T,
    }

    impl Churn for Holder<u32> {
        #[inline(never)]
        fn churn(&mut self, rounds: u32) {
            for _ in 0..rounds {
                self.value = black_box(self.value.wrapping_mul(1664525).wrapping_add(1013904223));
            }
        }
    }
}

fn main() {
    use rusty::Churn;
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut holder = rusty::Holder { value: 1u32 };
    let mut turns = 0u64;
    while Instant::now() < end {
        holder.churn(20011);
        turns += 1;
    }
    println!("pid={} turns={} x={}", std::process::id(), turns, black_box(holder.value));
}
