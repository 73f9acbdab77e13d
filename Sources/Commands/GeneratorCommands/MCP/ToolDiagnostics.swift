// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// The diagnostics that a model is shown: it reads each word, and none of thousands helps it.
enum ToolDiagnostics {
    /// The first of them, and a line about the others where there are more.
    static func shown(_ diagnostics: [Diagnostic]) -> (list: [Diagnostic], rest: [String]) {
        let list = DiagnosticBounds.shown(diagnostics).list
        let count = diagnostics.count - list.count
        return (list, count == 0 ? [] : ["… and \(count) more: mend these first"])
    }
}
