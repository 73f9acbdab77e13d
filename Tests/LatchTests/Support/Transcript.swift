// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A command-line session as text: what is typed, and what must appear.
///
/// - `// …` is a remark, `$ …` a command for the shell, run in an empty folder;
/// - `+ NAME` writes the lines after it that begin with `| ` into a file;
/// - lines beginning with `! ` are standard error, `[2]` is the exit code where it is not 0, all others are standard
///   output;
/// - `…` stands for any text within a line, `{FOLDER}` for the folder's path.
struct Transcript: CustomStringConvertible {
    /// A command and what must come of it.
    struct Call {
        let line: Int
        let command: String
        var output: [String] = []
        var error: [String] = []
        var exitCode: Int32 = 0
    }

    enum Entry {
        case file(name: String, lines: [String])
        case call(Call)
    }

    let name: String
    private(set) var entries: [Entry] = []

    var description: String { name }

    /// All transcripts of the repository.
    static func all() throws -> [Transcript] {
        let folder = #filePath.components(before: "/Tests/") + "/Transcripts"
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(".txt") }
            .map { name in
                let bytes = try Data(contentsOf: URL(filePath: folder + "/" + name))
                return Transcript(name: name, text: String(decoding: bytes, as: UTF8.self))
            }
    }

    init(name: String, text: String) {
        self.name = name
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated()
        {
            read(line, at: index + 1)
        }
    }

    private mutating func read(_ line: String, at number: Int) {
        if line.hasPrefix("// ") { return }
        if line.hasPrefix("$ ") { return entries.append(.call(Call(line: number, command: String(line.dropFirst(2))))) }
        if line.hasPrefix("+ ") { return entries.append(.file(name: String(line.dropFirst(2)), lines: [])) }
        switch entries.popLast() {
        case .file(let name, let lines)?:
            entries.append(.file(name: name, lines: line.hasPrefix("| ") ? lines + [String(line.dropFirst(2))] : lines))
        case .call(var call)?:
            if line.hasPrefix("! ") {
                call.error.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("["), line.hasSuffix("]"), let code = Int32(line.dropFirst().dropLast()) {
                call.exitCode = code
            } else {
                call.output.append(line)
            }
            entries.append(.call(call))
        case nil: break
        }
    }

    /// Whether a line is as the transcript shows it.
    static func matches(_ line: String, _ pattern: String) -> Bool {
        var rest = line[...]
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard rest.hasPrefix(parts[0]) else { return false }
        rest = rest.dropFirst(parts[0].count)
        guard parts.count > 1 else { return rest.isEmpty }
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }
}

extension String {
    fileprivate func components(before text: String) -> String {
        // The last one, for the repository itself may lie in a folder of that name.
        ranges(of: text).last.map { String(self[..<$0.lowerBound]) } ?? self
    }
}
