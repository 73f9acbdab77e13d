// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
public import LatchRPC

/// A client of gRPC's server reflection (v1, or v1alpha if the server lacks v1).
///
/// It lists services and fetches their descriptors.
///
/// ```swift
/// let reflection = ReflectionClient(try RPCChannel("https://api.example.com", using: .grpc))
/// for service in try await reflection.services() { print(service) }
/// let descriptors = try await reflection.descriptors(of: ["shop.v1.Shop"])  // a FileDescriptorSet
/// ```
///
/// Each request is a separate call, so it also works without full-duplex streams. All methods throw `RPCError`; the
/// error is `notFound` for unknown symbols and files.
public struct ReflectionClient: Sendable {
    private let channel: RPCChannel
    private let options: CallOptions

    /// Creates a client of the server at the other end of a channel.
    ///
    /// - Parameters:
    ///   - channel: The channel to the server.
    ///   - options: The options of each call.
    public init(_ channel: RPCChannel, options: CallOptions = CallOptions()) {
        self.channel = channel
        self.options = options
    }

    /// Returns the full names of the services.
    public func services() async throws -> [String] {
        guard case .listServicesResponse(let list) = try await send(.listServices("")) else {
            throw Self.unexpectedResponse
        }
        return list.service.map(\.name)
    }

    /// Returns the serialized descriptor of a file, followed by others that the server sends with it.
    public func file(named name: String) async throws -> [[UInt8]] { try await files(.fileByFilename(name)) }

    /// Returns the descriptor of the file that declares a full name, followed by others.
    public func file(declaring symbol: String) async throws -> [[UInt8]] {
        try await files(.fileContainingSymbol(symbol))
    }

    /// Returns the descriptor of the file that declares an extension of a message, followed by others.
    public func file(extending type: String, number: Int32) async throws -> [[UInt8]] {
        try await files(.fileContainingExtension(ExtensionRequest(containingType: type, extensionNumber: number)))
    }

    /// Returns the extension numbers of a message.
    public func extensionNumbers(of type: String) async throws -> [Int32] {
        guard case .allExtensionNumbersResponse(let response) = try await send(.allExtensionNumbersOfType(type)) else {
            throw Self.unexpectedResponse
        }
        return response.extensionNumber
    }

    /// Returns a serialized `FileDescriptorSet` of the files that declare the names and of all their imports.
    ///
    /// Imported files come first.
    ///
    /// - Parameter symbols: The names of services, messages or enums; nil for every service.
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
        let symbols = if let symbols { symbols } else { try await services() }
        for symbol in symbols {
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

    /// Returns the names in topological order, imports first; breaks cycles, which no compiler produces.
    private static func ordered(_ names: [String], _ known: [String: FileNames]) -> [String] {
        var (order, seen) = ([String](), Set<String>())
        // Each name is visited twice: before its imports and after them.
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
            throw RPCError(.internal, "The server sent an invalid descriptor.", cause: error)
        }
    }

    private func files(_ request: ServerReflectionRequest.MessageRequest) async throws -> [[UInt8]] {
        guard case .fileDescriptorResponse(let response) = try await send(request) else {
            throw Self.unexpectedResponse
        }
        return response.fileDescriptorProto.map { Array($0) }
    }

    private static let unexpectedResponse = RPCError(.internal, "The server sent an unexpected response.")

    private func send(
        _ request: ServerReflectionRequest.MessageRequest
    ) async throws -> ServerReflectionResponse.MessageResponse {
        do {
            return try await send(request, .v1)
        } catch RPCError.unimplemented {
            return try await send(request, .v1alpha)
        }
    }

    private func send(
        _ request: ServerReflectionRequest.MessageRequest, _ version: ReflectionVersion
    ) async throws -> ServerReflectionResponse.MessageResponse {
        let requests = RPCStream([ServerReflectionRequest(messageRequest: request)])
        var responses = try await channel.bidirectional(version.method, requests, options).makeAsyncIterator()
        guard let response = try await responses.next()?.messageResponse else {
            throw RPCError(.internal, "The server sent no response.")
        }
        guard case .errorResponse(let error) = response else { return response }
        throw RPCError(RPCCode(rawValue: Int(error.errorCode)) ?? .unknown, error.errorMessage)
    }
}
