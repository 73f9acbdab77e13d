// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchServer
import Synchronization
import Testing

@Suite struct TypedEndpointTests {
    struct Note: Codable, Sendable, Hashable {
        var id: Int
        var text: String
    }

    struct NewNote: Codable, Sendable {
        var text: String
    }

    /// The endpoints of a small service.
    static func router(_ notes: [Note] = [Note(id: 1, text: "one")]) -> Router {
        let notes = Mutexed(notes)
        var router = Router(interceptors: [ProblemInterceptor()])
        router.get("/notes") { _ in notes.value }
        router.get("/notes/{id}") { request in
            let id = try request.pathParameter("id", as: Int.self)
            guard let note = notes.value.first(where: { $0.id == id }) else { throw ServerError.notFound }
            return note
        }
        router.post("/notes") { request in
            let note = Note(id: notes.value.count + 1, text: try request.json(as: NewNote.self).text)
            notes.value.append(note)
            return try .json(encoding: note, status: .created)
        }
        router.put("/notes/{id}") {
            try Note(id: $0.pathParameter("id", as: Int.self), text: $0.json(as: NewNote.self).text)
        }
        router.patch("/notes/{id}") { try $0.json(as: [String: String].self) }
        router.delete("/notes/{id}") { _ in HTTPResponse(status: .noContent) }
        return router
    }

    /// A value that several endpoints change.
    final class Mutexed<Value: Sendable>: Sendable {
        private let mutex: Mutex<Value>
        init(_ value: Value) { mutex = Mutex(value) }
        var value: Value {
            get { mutex.withLock { $0 } }
            set { mutex.withLock { $0 = newValue } }
        }
    }

    static func client() throws -> Client {
        try Client(baseURL: #require(URL(string: "http://localhost")), transport: router())
    }

    static func send(_ method: HTTPMethod, _ path: String, _ body: String = "") async throws -> HTTPResponse {
        let request = HTTPRequest(
            method: method, authority: "localhost", path: path, fields: [.contentType: "application/json"],
            body: HTTPBody(body))
        return try await router().respond(to: request)
    }

    @Test func `A typed endpoint sends its result as JSON`() async throws {
        let response = try await Self.send(.get, "/notes")
        expectEqual(response.status, .ok)
        expectEqual(response.fields[.contentType], "application/json")
        try await expectEqual(Self.client().perform(.get("notes/1", as: Note.self)), Note(id: 1, text: "one"))
    }

    @Test func `A typed endpoint decodes its content and converts its path parameters`() async throws {
        let created = try await Self.send(.post, "/notes", #"{"text":"two"}"#)
        expectEqual(created.status, .created)
        let client = try Self.client()
        let changed = try await client.perform(.put("notes/7", json: NewNote(text: "new"), as: Note.self))
        expectEqual(changed, Note(id: 7, text: "new"))
        try await expectEqual(Self.send(.patch, "/notes/1", #"{"a":"b"}"#).body.text, #"{"a":"b"}"#)
        try await expectEqual(Self.send(.delete, "/notes/1").status, .noContent)
        try await expectNotEqual(Self.send(.head, "/notes").fields[.contentLength], "0")
    }

    @Test(arguments: ["/notes/x", "/notes/1.5", "/notes/99999999999999999999"])
    func `A typed endpoint rejects a malformed path parameter`(path: String) async throws {
        let response = try await Self.send(.get, path)
        expectEqual(response.status, .badRequest)
        expectEqual(response.body.text?.contains("The path parameter 'id' is malformed."), true)
        try await expectEqual(Self.send(.get, "/notes/2").status, .notFound)
    }

    @Test(arguments: [
        ("{}", "'text' is missing"), (#"{"text":1}"#, "at 'text' there is no String"), ("{", "malformed"),
        (#"{"text":"a","text":"b"}"#, "malformed"), ("", "malformed"),
    ])
    func `A typed endpoint rejects content that does not fit, and names the key`(body: String, detail: String)
        async throws
    {
        let response = try await Self.send(.post, "/notes", body)
        expectEqual(response.status, .badRequest)
        expectEqual(response.body.text?.contains(detail), true, "\(response.body.text ?? "")")
    }

    @Test func `A typed endpoint rejects content of another type`() async throws {
        let request = HTTPRequest(method: .post, authority: "localhost", path: "/notes", body: HTTPBody("text=a"))
        try await expectEqual(Self.router().respond(to: request).status, .unsupportedMediaType)
    }

    @Test func `A typed endpoint reports a result that cannot be encoded as a server error`() async throws {
        var router = Router(interceptors: [ProblemInterceptor()])
        router.get("/") { _ in Double.nan }
        let request = HTTPRequest(authority: "localhost", path: "/")
        try await expectEqual(router.respond(to: request).status, .internalServerError)
    }
}
