// SPDX-License-Identifier: Apache-2.0

public import LatchTexts
public import LatchUI

/// The notes of the user, as a screen of the same kind as those of the accounts: its view is a `ScreenForm`, and its test a
/// sequence of taps.
public struct NotesScreen: Screen {
    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Send what waits, and load the notes.
        case synchronize
        /// Add a note.
        case add(Note)
        /// Delete a note.
        case delete(id: String)
    }

    /// The notes; nil until they are loaded.
    public private(set) var notes: NoteStore.Content?
    /// The text of the next note.
    public var fields = Self.emptyFields

    private static let emptyFields = Fields([Field(.text, .text, .verbatim("New note"))])

    /// Creates the screen.
    public init() {}

    /// The title.
    public var title: Phrase { .verbatim("Notes") }

    /// The request for the notes; nil once they are there.
    public var loading: Request? { notes == nil ? .synchronize : nil }

    /// The field of a new note, and the notes.
    public var content: [Control] {
        guard let notes else { return [] }
        var all: [Control] = []
        if notes.waiting > 0 {
            all.append(.notice(.warning, .verbatim("Not sent yet: \(notes.waiting). Sent with the next connection.")))
        } else if notes.isOffline {
            all.append(.notice(.warning, .verbatim("These are the notes of the last connection.")))
        }
        all += fields.controls
        all.append(.button(.submit, .primary, .verbatim("Add")))
        all += notes.notes.map { note in
            .row(
                ControlID("note", item: note.id), .verbatim(note.text),
                actions: [.button(.deleteNote(note.id), .destructive, .verbatim("Delete \(note.text)"))])
        }
        return all + [.button(.refresh, .secondary, .verbatim("Refresh"))]
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit: return submitting { .add(Note(text: $0.value(.text))) }
        case .refresh: return .perform(.synchronize)
        default: return control.item.map { .perform(.delete(id: $0)) } ?? .stay
        }
    }

    /// Takes the notes.
    public mutating func receive(_ response: NoteStore.Content) -> ScreenStep<Self> {
        // The text of an added note has left; after a failure it is still there.
        if let notes, response.notes.count > notes.notes.count { fields = Self.emptyFields }
        notes = response
        return .stay
    }

    /// Sends what waits when the user returns to the app.
    public mutating func resume() -> ScreenStep<Self> { .perform(.synchronize) }

    /// The way on: there is none, the notes are the app's content.
    public typealias Outcome = Never
}

extension ControlID {
    /// The text of the next note.
    public static let text: ControlID = "text"
    /// The button that loads the notes again.
    public static let refresh: ControlID = "refresh"

    /// Returns the button that deletes a note.
    public static func deleteNote(_ id: String) -> ControlID { ControlID("deleteNote", item: id) }
}

/// The model of a ``NotesScreen``.
public typealias NotesModel = ScreenModel<NotesScreen>

extension ScreenModel where S == NotesScreen {
    /// Creates the notes of a store.
    public convenience init(_ store: NoteStore) {
        self.init(NotesScreen()) { request in
            switch request {
            case .synchronize: try await store.synchronize()
            case .add(let note): try await store.add(note)
            case .delete(let id): try await store.delete(id: id)
            }
        }
    }
}
