// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A tool of the server.
enum NoteTool: String, CaseIterable {
    case listNotes = "list_notes"
    case addNote = "add_note"

    /// The declaration for `tools/list`.
    var declaration: JSONValue {
        let adds = self == .addNote
        return [
            "name": .string(rawValue), "annotations": ["readOnlyHint": .bool(!adds)],
            "description": .string(adds ? "Adds a note of the user." : "Lists the notes of the user."),
            "inputSchema": ["type": "object", "properties": adds ? ["text": ["type": "string"]] : [:]],
        ]
    }
}

/// The notes of all users, in memory.
actor NoteStore {
    private var notes: [String: [String]] = [:]

    func call(_ tool: NoteTool, _ arguments: JSONObject, of user: String) throws(ToolError) -> JSONObject {
        guard tool == .addNote else { return Self.result(notes[user] ?? []) }
        guard let text = arguments["text"]?.stringValue, (1...10_000).contains(text.utf8.count) else { throw .noText }
        guard notes[user, default: []].count < 100, notes[user] != nil || notes.count < 10_000 else {
            return Self.result(["There is no room for another note."], isError: true)
        }
        notes[user, default: []].append(text)
        return Self.result(["Added."])
    }

    private static func result(_ lines: [String], isError: Bool = false) -> JSONObject {
        ["content": .array(lines.map { ["type": "text", "text": .string($0)] }), "isError": .bool(isError)]
    }
}
