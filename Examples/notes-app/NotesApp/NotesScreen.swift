// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchTexts
public import LatchUI

/// The notes of the user, as a screen of the same kind as those of the accounts: its view is a `ScreenForm`, and its test a
/// sequence of taps.
public struct NotesScreen: Screen {
    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Send what waits, and load the notes.
        case synchronize
        case add(Note)
        /// Delete a note.
        case delete(id: String)
        /// Send a refused change once more.
        case sendAgain(id: String)
        /// Give a refused change up.
        case discard(id: String)
    }

    /// The notes; nil until they are loaded.
    public private(set) var notes: NoteStore.Content?
    /// The text of the next note.
    public var fields = Self.emptyFields

    /// The refused note that is edited; nil for a new one.
    private var editedID: String?
    /// Whether the text of the field is being sent.
    private var isSending = false

    private static let emptyFields = Fields([Field(.text, .text, .verbatim("New note"))])

    /// Creates the screen.
    public init() {}

    /// The heading, in English only.
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
        all.append(.button(.submit, .primary, .verbatim(editedID == nil ? "Add" : "Save")))
        all += notes.refused.map(row)
        all += notes.notes.map { note in
            .row(
                ControlID("note", item: note.id), .verbatim(note.text),
                actions: [.button(.deleteNote(note.id), .destructive, .verbatim("Delete \(note.text)"))])
        }
        return all + [.button(.refresh, .secondary, .verbatim("Refresh"))]
    }

    private func row(_ refused: NoteStore.RefusedChange) -> Control {
        let reason = refused.isForbidden ? "You may not do this now." : "The service does not take this note as it is."
        let deleted = notes?.notes.first { $0.id == refused.id }?.text ?? "a note"
        let edit: [Control] =
            refused.note == nil ? [] : [.button(.editNote(refused.id), .secondary, .verbatim("Edit"))]
        let again: [Control] =
            refused.isForbidden ? [.button(.sendAgain(refused.id), .secondary, .verbatim("Try again"))] : []
        return .row(
            ControlID("refused", item: refused.id), .verbatim(refused.note?.text ?? "Delete \(deleted)"),
            detail: .verbatim("Not saved. \(reason)"),
            actions: edit + again + [.button(.discard(refused.id), .destructive, .verbatim("Discard"))])
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        isSending = false
        guard let id = control.item else {
            guard control == .submit else { return .perform(.synchronize) }
            let id = editedID ?? UUID().uuidString
            let step = submitting { .add(Note(id: id, text: $0.value(.text))) }
            isSending = step != .stay
            return step
        }
        switch control {
        case .editNote(id):
            editedID = id
            fields = Self.emptyFields
            fields.set(notes?.refused.first { $0.id == id }?.note?.text ?? "", of: .text)
            return .stay
        case .sendAgain(id): return .perform(.sendAgain(id: id))
        case .discard(id):
            if editedID == id { (editedID, fields) = (nil, Self.emptyFields) }
            return .perform(.discard(id: id))
        default: return .perform(.delete(id: id))
        }
    }

    /// Takes the notes.
    public mutating func receive(_ response: NoteStore.Content) -> ScreenStep<Self> {
        // The text has left, or is in the row of a refusal; after a failure it is still there.
        if isSending { (editedID, fields) = (nil, Self.emptyFields) }
        (notes, isSending) = (response, false)
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

    /// Returns the button that puts a refused note into the field.
    public static func editNote(_ id: String) -> ControlID { ControlID("editNote", item: id) }

    /// Returns the button that sends a refused change once more.
    public static func sendAgain(_ id: String) -> ControlID { ControlID("sendAgain", item: id) }

    /// Returns the button that gives a refused change up.
    public static func discard(_ id: String) -> ControlID { ControlID("discard", item: id) }
}

/// The model of a ``NotesScreen``.
public typealias NotesModel = ScreenModel<NotesScreen>

extension ScreenModel where S == NotesScreen {
    /// Creates a screen whose requests read and change the store.
    public convenience init(_ store: NoteStore) {
        self.init(NotesScreen()) { request in
            switch request {
            case .synchronize: try await store.synchronize()
            case .add(let note): try await store.add(note)
            case .delete(let id): try await store.delete(id: id)
            case .sendAgain(let id): try await store.sendAgain(id: id)
            case .discard(let id): try await store.discard(id: id)
            }
        }
    }
}
