// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchHTTP
import LatchJOSE
public import LatchServer

/// The API of the notes: a resource server whose notes belong to the user of the access token.
///
/// Its changes are idempotent, so that an app may send them again that was offline in the meantime: the app chooses the
/// identifier of a note, and deleting a note that is gone succeeds.
public struct NotesService: Sendable {
    /// A note as the API sends and takes it.
    struct Note: Codable, Sendable {
        let id: String
        var text: String
    }

    private let reading: AccessTokenInterceptor
    private let writing: AccessTokenInterceptor
    private let store: Store
    /// The size of a text in bytes.
    private static let greatestSize = 10_000

    /// Creates the API of a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource at whose URL the server listens.
    ///   - verifier: Verifies the tokens; it must require `resource.url` as their audience.
    ///   - greatestCount: The number of notes that a user may have.
    public init(_ resource: ProtectedResource, verifier: some AccessTokenVerifier, greatestCount: Int = 1_000) {
        store = Store(greatestCount: greatestCount)
        reading = AccessTokenInterceptor(verifier, requiring: ["notes:read"], of: resource)
        writing = AccessTokenInterceptor(verifier, requiring: ["notes:write"], of: resource)
    }

    /// The routes below `/notes`, which require a scope.
    public var router: Router {
        var router = Router(interceptors: [RequestIDInterceptor(), ProblemInterceptor()])
        router.group(prefix: "/notes", interceptors: [reading]) { notes in
            notes.get("/") { await store.notes(of: $0.accessTokenClaims?.subject ?? "") }
        }
        router.group(prefix: "/notes", interceptors: [writing]) { notes in
            notes.put("/{id}") { request -> HTTPResponse in
                let note = try request.json(as: Note.self)
                guard note.id == request.pathParameter("id"), !note.text.isEmpty else {
                    return .problem(status: .badRequest, detail: "The note needs its identifier and a text.")
                }
                guard note.text.utf8.count <= Self.greatestSize else {
                    return .problem(status: .badRequest, detail: "The text is too long.")
                }
                guard await store.save(note, of: request.accessTokenClaims?.subject ?? "") else {
                    return .problem(status: .forbidden, detail: "There is no room for another note.")
                }
                return HTTPResponse(status: .noContent)
            }
            notes.delete("/{id}") { request -> HTTPResponse in
                await store.delete(request.pathParameter("id") ?? "", of: request.accessTokenClaims?.subject ?? "")
                return HTTPResponse(status: .noContent)
            }
        }
        return router
    }

    /// The notes of all users, in memory.
    private actor Store {
        private let greatestCount: Int
        private var all: [String: [Note]] = [:]

        init(greatestCount: Int) { self.greatestCount = greatestCount }

        func notes(of user: String) -> [Note] { all[user] ?? [] }

        /// Saves a note; returns false if the user has too many.
        func save(_ note: Note, of user: String) -> Bool {
            var notes = all[user] ?? []
            if let index = notes.firstIndex(where: { $0.id == note.id }) {
                notes[index] = note
            } else {
                guard notes.count < greatestCount else { return false }
                notes.append(note)
            }
            all[user] = notes
            return true
        }

        func delete(_ id: String, of user: String) { all[user]?.removeAll { $0.id == id } }
    }
}
