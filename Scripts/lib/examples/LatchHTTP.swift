// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchHTTP

struct User: Codable, Sendable {
    var id: String
    var name: String
}

struct Note: Codable, Sendable {}

struct File: Codable, Sendable {}

struct Usage: Codable, Sendable {}

struct Issue: Codable, Sendable {}

struct Hash {
    mutating func update(_ bytes: [UInt8]) {}
}

let client: Client = placeholder()
let url: URL = placeholder()
let baseURL: URL = placeholder()
let id: String = placeholder()
let path: String = placeholder()
let user: User = placeholder()
let png: [UInt8] = placeholder()
let form: MultipartForm = placeholder()
let question: Usage = placeholder()
let response: HTTPResponse = placeholder()
let now: Date = placeholder()
nonisolated(unsafe) var request: HTTPRequest = placeholder()
nonisolated(unsafe) var hash: Hash = placeholder()

func show(_ count: Int, of expected: Int?) {}
