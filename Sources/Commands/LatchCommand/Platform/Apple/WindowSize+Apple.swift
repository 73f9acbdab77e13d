// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
/// The request for the size of a terminal's window: `TIOCGWINSZ` of <sys/ttycom.h>, a macro that Swift does not import.
let windowSizeRequest: UInt = 0x4008_7468
#endif
