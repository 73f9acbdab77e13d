// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchHTTP
import LatchServer

struct Note: Codable, Sendable {}

struct NewNote: Codable, Sendable {}

actor Notes {
    func note(_ id: Int) throws -> Note { placeholder() }
    func add(_ new: NewNote) -> Note { placeholder() }
}

let notes: Notes = placeholder()
let requireAdmin: any Interceptor = placeholder()
nonisolated(unsafe) var router: Router = placeholder()
nonisolated(unsafe) var configuration: Server.Configuration = placeholder()

func listUsers(_ request: HTTPRequest) async throws -> [String] { placeholder() }
