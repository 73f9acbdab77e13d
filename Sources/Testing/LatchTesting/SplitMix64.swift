// SPDX-License-Identifier: Apache-2.0

/// A small random number generator (Steele, Lea, Flood 2014) with the same numbers on every platform.
///
/// A property test has the seed as its argument, so that a failure can be replayed.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    /// The state, which advances by the golden ratio; the mixing makes the numbers look random.
    private var state: UInt64

    /// Creates the generator of the sequence of `state`.
    package init(state: UInt64) { self.state = state }

    /// Returns the next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number in `0..<bound`; 0 if that range is empty.
    package mutating func below(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(next() % UInt64(bound))
    }

    /// Returns one of `choices`, which must not be empty.
    package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    /// Returns up to `limit` scalars from all planes of Unicode, with many that are difficult for parsers.
    package mutating func text(upTo limit: Int) -> String {
        let awkward: [Unicode.Scalar] = [
            " ", "+", "%", "&", "=", "?", "#", "/", "\\", "\"", ";", "\r", "\n", "\u{0}", "\u{7F}", "\u{301}",
            "\u{2028}", "\u{FEFF}", "\u{FFFF}",
        ]
        var text = ""
        for _ in 0..<below(limit + 1) {
            let any = Unicode.Scalar(UInt32(below(0x11_0000))) ?? "\u{E9}"
            text.unicodeScalars.append(pick([any, any, pick(awkward), Unicode.Scalar(UInt8(below(128)))]))
        }
        return text
    }
}
