// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The C library of Apple's systems is read from its own headers. Here is what Apple's module adds in Swift, for macros that
// a type is cast in. `Glibc` is the name of the toolchain's module of the C library, whose headers are Apple's here.
@_exported public import Glibc

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
// C's `open` has a variable number of arguments, which Swift does not call. The toolchain's own takes Linux's wider `mode_t`;
// this one stands back, so that a literal suits both.
@_disfavoredOverload public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
