// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A tool of the server.
enum NoteTool: String, CaseIterable {
    case listNotes = "list_notes"
    case addNote = "add_note"

    /// Creates the tool that a call names; nil if there is none.
    init?(_ parameters: JSONObject) { self.init(rawValue: parameters["name"]?.stringValue ?? "") }

    /// Whether a call needs the scope `notes:write`.
    var changesNotes: Bool { self == .addNote }

    /// The declaration for `tools/list`.
    var declaration: JSONValue {
        let schema: JSONValue =
            switch self {
            case .listNotes: ["type": "object"]
            case .addNote:
                ["type": "object", "properties": ["text": ["type": "string"]], "required": ["text"]]
            }
        return [
            "name": .string(rawValue), "title": .string(self == .addNote ? "Add a note" : "List the notes"),
            "description": .string(self == .addNote ? "Adds a note of the user." : "Lists the notes of the user."),
            "inputSchema": schema, "annotations": ["readOnlyHint": .bool(!changesNotes)],
        ]
    }

    func call(_ arguments: JSONObject, _ notes: NoteStore, of user: String) async throws(ToolError) -> JSONObject {
        switch self {
        case .listNotes: return Self.result(await notes.list(of: user))
        case .addNote:
            guard let text = arguments["text"]?.stringValue, !text.isEmpty else {
                throw .invalidParameters("'text' must be the text of the note.")
            }
            guard await notes.add(text, of: user) else {
                var result = Self.result(["There is no room for another note."])
                result["isError"] = true
                return result
            }
            return Self.result(["Added."])
        }
    }

    private static func result(_ lines: [String]) -> JSONObject {
        ["content": .array(lines.map { ["type": "text", "text": .string($0)] }), "isError": false]
    }
}

/// The notes of all users, in memory.
actor NoteStore {
    private static let greatestCount = 100
    private static let greatestSize = 10_000
    private static let mostUsers = 10_000
    private var notes: [String: [String]] = [:]

    func list(of user: String) -> [String] { notes[user] ?? [] }

    /// Adds a note; returns false if it is too long, or if the user, or the server, has too many.
    func add(_ text: String, of user: String) -> Bool {
        guard text.utf8.count <= Self.greatestSize, notes[user] != nil || notes.count < Self.mostUsers,
            notes[user, default: []].count < Self.greatestCount
        else { return false }
        notes[user, default: []].append(text)
        return true
    }
}
