// SPDX-License-Identifier: Apache-2.0

import LatchProto
import Testing

/// Compiles texts by their names; the first one is asked for.
func compile(_ text: String, with others: [String: String] = [:], locations: Bool = false) -> Compilation {
    let files = others.merging(["test.proto": text]) { _, new in new }
    return Compiler(recordsLocations: locations) { name in files[name].map { Array($0.utf8) } }.compile(["test.proto"])
}

/// The descriptor of a text that is right.
func file(_ text: String, with others: [String: String] = [:]) throws -> FileDescriptor {
    let compilation = compile(text, with: others)
    try #require(compilation.isComplete, "\(compilation.diagnostics)")
    return try #require(compilation.requested.first)
}

/// Where the errors of a text are, as `line:column`, counted from one.
func errorPlaces(_ text: String, with others: [String: String] = [:]) -> [String] {
    compile(text, with: others).diagnostics.filter { $0.severity == .error }.map {
        guard let place = $0.place else { return $0.file }
        return "\(place.line + 1):\(place.column + 1)"
    }
}
