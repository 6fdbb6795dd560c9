// SPDX-License-Identifier: GPL-2.0-or-later
//! lang_rust SECONDS - Rust call paths: a generic's, a closure's, a trait object's, a third of the time each.
use std::hint::black_box;
use std::time::{Duration, Instant};

#[inline(never)]
fn spin(seed: u32) -> u32 {
    let mut x = seed;
    for _ in 0..2_000_000u32 {
        x = black_box(x.wrapping_mul(1664525).wrapping_add(1013904223));
    }
    x
}

#[inline(never)]
fn generic<T: Into<u32> + Copy>(value: T) -> u32 {
    black_box(spin(value.into())) + 1
}

#[inline(never)]
fn apply<F: Fn(u32) -> u32>(f: F) -> u32 {
    black_box(f(7)) + 1
}

trait Act {
    fn act(&self, x: u32) -> u32;
}

struct Actor;

impl Act for Actor {
    #[inline(never)]
    fn act(&self, x: u32) -> u32 {
        black_box(spin(x)) + 1
    }
}

#[inline(never)]
fn dynamic(actor: &dyn Act) -> u32 {
    black_box(actor.act(3)) + 1
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).map_or(1.0, |s| s.parse().unwrap());
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < until {
        black_box(generic(5u16));
        black_box(apply(|x| black_box(spin(x)) + 1));
        black_box(dynamic(black_box(&Actor)));
    }
}
