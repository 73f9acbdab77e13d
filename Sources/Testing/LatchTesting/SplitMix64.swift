// SPDX-License-Identifier: Apache-2.0

/// A small generator with good mixing (Steele, Lea, Flood 2014): the same numbers on every platform.
///
/// A property test begins one with a seed that stands in its argument, so that a failure names what replays it.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    /// Advances by the golden ratio; the mixing is what makes the numbers look random.
    private var state: UInt64

    /// The sequence of numbers that belongs to `state`.
    package init(state: UInt64) { self.state = state }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in `0..<bound`; 0 where there is none.
    package mutating func below(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(next() % UInt64(bound))
    }

    /// One of `choices`, which must not be empty.
    package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    /// Up to `limit` scalars from all planes of Unicode, with what is awkward for parsers more often than its share.
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
