// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
public import LatchRPC

/// Asks a server which services it has, and for their descriptors (gRPC's server reflection, v1, or v1alpha where it has
/// no other).
///
/// ```swift
/// let reflection = ReflectionClient(try RPCChannel("https://api.example.com", using: .grpc))
/// for service in try await reflection.services() { print(service) }
/// let descriptors = try await reflection.descriptors(of: ["shop.v1.Shop"])  // a FileDescriptorSet
/// ```
///
/// Every question is a call of its own, so that it also works where streams do not go both ways at a time. All methods
/// throw `RPCError`; what the server does not have is `notFound`.
public struct ReflectionClient: Sendable {
    private let channel: RPCChannel
    private let options: CallOptions

    /// A client of the server to which a channel leads.
    ///
    /// - Parameter options: What goes with each call.
    public init(_ channel: RPCChannel, options: CallOptions = CallOptions()) {
        self.channel = channel
        self.options = options
    }

    /// The full names of the services.
    public func services() async throws -> [String] {
        guard case .listServicesResponse(let list) = try await ask(.listServices("")) else { throw Self.otherAnswer }
        return list.service.map(\.name)
    }

    /// The serialized descriptors of a file, and of as many as the server tells with it.
    public func file(named name: String) async throws -> [[UInt8]] { try await files(.fileByFilename(name)) }

    /// The same of the file in which a full name is declared.
    public func file(declaring symbol: String) async throws -> [[UInt8]] {
        try await files(.fileContainingSymbol(symbol))
    }

    /// The same of the file in which a message is extended by a number.
    public func file(extending type: String, number: Int32) async throws -> [[UInt8]] {
        try await files(.fileContainingExtension(ExtensionRequest(containingType: type, extensionNumber: number)))
    }

    /// The numbers by which a message is extended.
    public func extensionNumbers(of type: String) async throws -> [Int32] {
        guard case .allExtensionNumbersResponse(let answer) = try await ask(.allExtensionNumbersOfType(type)) else {
            throw Self.otherAnswer
        }
        return answer.extensionNumber
    }

    /// A serialized `FileDescriptorSet` of the files in which full names are declared and of all that they import,
    /// imported files first.
    ///
    /// - Parameter symbols: Names of services, messages or enums; nil takes every service.
    public func descriptors(of symbols: [String]? = nil) async throws -> [UInt8] {
        var known: [String: FileNames] = [:]
        var bytes: [String: Data] = [:]
        func take(_ files: [[UInt8]]) throws -> String? {
            let read = try files.map { try Self.read($0) }
            for (file, content) in zip(read, files) where known[file.name] == nil {
                (known[file.name], bytes[file.name]) = (file, Data(content))
            }
            return read.first?.name
        }
        var wanted: [String] = []
        for symbol in try await symbolsOrServices(symbols) {
            if let name = try take(try await file(declaring: symbol)) { wanted.append(name) }
        }
        var waiting = Array(known.values.flatMap(\.dependency))
        while let name = waiting.popLast() {
            guard known[name] == nil else { continue }
            let before = Set(known.keys)
            _ = try take(try await file(named: name))
            guard known[name] != nil else { throw RPCError(.notFound, "The server has no file \(name).") }
            waiting += known.values.filter { !before.contains($0.name) }.flatMap(\.dependency)
        }
        return try FileSet(file: Self.ordered(wanted, known).compactMap { bytes[$0] }).serialized()
    }

    private func symbolsOrServices(_ symbols: [String]?) async throws -> [String] {
        if let symbols { return symbols }
        return try await services()
    }

    /// Names in an order in which each comes after what it imports; a circle, which no compiler makes, is cut.
    private static func ordered(_ names: [String], _ known: [String: FileNames]) -> [String] {
        var (order, seen) = ([String](), Set<String>())
        // Each is looked at twice: before what it imports, and after.
        var waiting = names.reversed().map { (name: $0, isAfter: false) }
        while let (name, isAfter) = waiting.popLast() {
            if isAfter {
                order.append(name)
            } else if seen.insert(name).inserted {
                waiting.append((name, true))
                waiting += (known[name]?.dependency ?? []).reversed().map { (name: $0, isAfter: false) }
            }
        }
        return order
    }

    private static func read(_ bytes: [UInt8]) throws -> FileNames {
        do {
            return try FileNames(serialized: bytes)
        } catch {
            throw RPCError(.internal, "What the server gave is no descriptor.", cause: error)
        }
    }

    private func files(_ question: ServerReflectionRequest.MessageRequest) async throws -> [[UInt8]] {
        guard case .fileDescriptorResponse(let answer) = try await ask(question) else { throw Self.otherAnswer }
        return answer.fileDescriptorProto.map { Array($0) }
    }

    private static let otherAnswer = RPCError(.internal, "The server answered another question.")

    private func ask(
        _ question: ServerReflectionRequest.MessageRequest
    ) async throws -> ServerReflectionResponse.MessageResponse {
        do {
            return try await ask(question, .v1)
        } catch RPCError.unimplemented {
            return try await ask(question, .v1alpha)
        }
    }

    private func ask(
        _ question: ServerReflectionRequest.MessageRequest, _ version: ReflectionVersion
    ) async throws -> ServerReflectionResponse.MessageResponse {
        let questions = RPCStream([ServerReflectionRequest(messageRequest: question)])
        var answers = try await channel.bidirectional(version.method, questions, options).makeAsyncIterator()
        guard let answer = try await answers.next()?.messageResponse else {
            throw RPCError(.internal, "The server gave no answer.")
        }
        guard case .errorResponse(let error) = answer else { return answer }
        throw RPCError(RPCCode(rawValue: Int(error.errorCode)) ?? .unknown, error.errorMessage)
    }
}
