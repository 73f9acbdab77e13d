// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchHTTP
import LatchUI

/// A note of the user.
public struct Note: Codable, Hashable, Sendable, Identifiable {
    /// The identifier, which the app chooses, so that a note can be sent twice.
    public let id: String
    /// The text, which must not be empty.
    public var text: String

    /// Creates a note.
    public init(id: String = UUID().uuidString, text: String) {
        self.id = id
        self.text = text
    }
}

/// The notes of one account on this device: a cache of the service's notes, and the changes that wait for a connection.
public actor NoteStore {
    /// The notes as the user sees them.
    public struct Content: Hashable, Sendable {
        /// The notes, with the changes that wait.
        public var notes: [Note]
        /// The number of changes that the service does not know yet.
        public var waiting: Int
        /// The changes that the service has refused, until the user decides.
        public var refused: [RefusedChange]
        /// Whether the service could not be reached.
        public var isOffline: Bool
    }

    /// A change that the service has refused: it is not sent again by itself, and is kept until the user edits, repeats or
    /// discards it.
    public struct RefusedChange: Codable, Hashable, Sendable, Identifiable {
        /// The note as it is to be; nil for a deletion.
        public let note: Note?
        /// The identifier of the note.
        public let id: String
        /// Whether the user may not do this (403), which may be different later; otherwise the note itself is refused.
        public let isForbidden: Bool
    }

    private enum Change: Codable, Hashable {
        case save(Note)
        case delete(id: String)

        /// The identifier of the note.
        var id: String {
            switch self {
            case .save(let note): note.id
            case .delete(let id): id
            }
        }

        /// The note as it is to be; nil for a deletion.
        var note: Note? { if case .save(let note) = self { note } else { nil } }
    }

    private struct State: Codable {
        var notes: [Note] = []
        var changes: [Change] = []
        /// The refused changes; nil in the cache of an app that had none of them.
        var refused: [RefusedChange]?
    }

    private let client: Client
    private let file: URL
    private var state: State

    /// Creates the store of an account.
    ///
    /// - Parameters:
    ///   - client: A client of the service, with the account's credential.
    ///   - file: The file of the cache; one that cannot be read is replaced.
    public init(_ client: Client, file: URL) {
        self.client = client
        self.file = file
        let stored = try? JSONDecoder().decode(State.self, from: Data(contentsOf: file))
        state = stored ?? State()
    }

    /// Adds a note, and sends it if the service can be reached.
    public func add(_ note: Note) async throws -> Content {
        try change(.save(note))
        return try await synchronize()
    }

    /// Deletes a note, and sends that if the service can be reached.
    public func delete(id: String) async throws -> Content {
        try change(.delete(id: id))
        return try await synchronize()
    }

    /// Sends a refused change once more.
    public func sendAgain(id: String) async throws -> Content {
        guard let refused = state.refused?.first(where: { $0.id == id }) else { return try await synchronize() }
        try change(refused.note.map { .save($0) } ?? .delete(id: id))
        return try await synchronize()
    }

    /// Gives a refused change up.
    public func discard(id: String) async throws -> Content {
        state.refused?.removeAll { $0.id == id }
        try save()
        return try await synchronize()
    }

    /// Sends the changes that wait, and loads the notes; without a connection it returns those of the cache.
    ///
    /// A change that the service refuses waits for the user, and the others go on.
    ///
    /// - Throws: `HTTPError`, `AuthError`.
    public func synchronize() async throws -> Content {
        do {
            while let change = state.changes.first { try await send(change) }
            state.notes = try await client.perform(.get("notes", as: [Note].self))
            try save()
            return content(isOffline: false)
        } catch {
            guard ScreenFailure(error).reason == .offline else { throw error }
            return content(isOffline: true)
        }
    }

    private func change(_ change: Change) throws {
        // What the user does now replaces what was refused.
        state.refused?.removeAll { $0.id == change.id }
        state.changes.append(change)
        try save()
    }

    private func send(_ change: Change) async throws {
        do {
            switch change {
            case .save(let note): try await client.perform(.put("notes/\(note.id)", json: note))
            case .delete(let id): try await client.perform(.delete("notes/\(id)"))
            }
        } catch let error as HTTPError {
            guard let status = error.response?.status, Self.isRefusal(status) else { throw error }
            let refused = RefusedChange(note: change.note, id: change.id, isForbidden: status == .forbidden)
            state.refused = (state.refused ?? []).filter { $0.id != change.id } + [refused]
            return try drop(change)
        }
        apply(change)
        try drop(change)
    }

    /// Whether a status says that the same request fails each time; not one of the credential, of the time or of the load.
    private static func isRefusal(_ status: HTTPStatus) -> Bool {
        status.isClientError && ![401, 408, 425, 429].contains(status)
    }

    private func drop(_ change: Change) throws {
        // Another call may have sent it in the meantime.
        if state.changes.first == change { state.changes.removeFirst() }
        try save()
    }

    private func apply(_ change: Change) { state.notes = Self.applying([change], to: state.notes) }

    private static func applying(_ changes: [Change], to notes: [Note]) -> [Note] {
        changes.reduce(into: notes) { notes, change in
            switch change {
            case .save(let note):
                notes.removeAll { $0.id == note.id }
                notes.append(note)
            case .delete(let id): notes.removeAll { $0.id == id }
            }
        }
    }

    private func content(isOffline: Bool) -> Content {
        Content(
            notes: Self.applying(state.changes, to: state.notes), waiting: state.changes.count,
            refused: state.refused ?? [], isOffline: isOffline)
    }

    private func save() throws { try JSONEncoder().encode(state).write(to: file, options: .atomic) }
}
