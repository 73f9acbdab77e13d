// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension PlanReader {
    /// A value, and where and how somebody wrote it.
    struct Saying {
        let value: String
        let place: Place?
        let spelling: String

        /// What a single word says; nil where nobody does.
        init?(_ word: (text: String, place: Place?)?, _ spelling: String) {
            guard let word else { return nil }
            (value, place, self.spelling) = ("\"\(word.text)\"", word.place, spelling)
        }

        init(_ value: String, _ place: Place?, _ spelling: String) {
            (self.value, self.place, self.spelling) = (value, place, spelling)
        }

        /// What an option says; nil where it does not.
        init?(_ name: String, of options: NamedOptions) {
            guard let said = options.said(name) else { return nil }
            self.init(said, options.place(name), options.spelling)
        }
    }

    /// Finds what spellings of one option contradict each other in: nobody could tell which of them was meant.
    func checkConflicts(_ spellings: [NamedOptions]) {
        guard let first = spellings.first else { return }
        for other in spellings.dropFirst() {
            for name in first.names {
                conflict(name, Saying(name, of: first), Saying(name, of: other))
            }
        }
    }

    /// Reports two sayings of one thing that differ.
    func conflict(_ name: String, _ one: Saying?, _ other: Saying?) {
        guard let one, let other, one.value != other.value else { return }
        let spot = one.place.map { " at \(file.name):\($0.line + 1):\($0.column + 1)" } ?? ""
        diagnostics.add(
            "'\(name)' is \(other.value) in (\(other.spelling)), and \(one.value) in (\(one.spelling))\(spot)",
            at: other.place, hint: "Keep one of the two, or let them say the same.")
    }
}
