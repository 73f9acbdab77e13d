// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP
public import LatchRPC

/// The messages of the suite that travel inside of an Any.
public enum ConformanceTypes {
    /// All of them.
    public static let all = TypeRegistry([
        UnaryRequest.self, UnaryResponse.self, IdempotentUnaryRequest.self, IdempotentUnaryResponse.self,
        ServerStreamRequest.self, ServerStreamResponse.self, ClientStreamRequest.self, ClientStreamResponse.self,
        BidiStreamRequest.self, BidiStreamResponse.self, UnimplementedRequest.self, UnimplementedResponse.self,
        ConformancePayload.self, ConformancePayload.RequestInfo.self, Header.self, Error.self,
    ])
}

extension HTTPFields {
    /// The fields that headers of the suite stand for.
    public init(_ headers: [Header]) {
        self.init()
        for header in headers {
            for value in header.value { append(value, for: HTTPFieldName(header.name)) }
        }
    }

    /// The fields as headers of the suite, each name once.
    public var headers: [Header] {
        var headers: [Header] = []
        for line in self {
            let name = line.name.canonicalName
            if let index = headers.firstIndex(where: { $0.name == name }) {
                headers[index].value.append(line.value)
            } else {
                headers.append(Header(name: name, value: [line.value]))
            }
        }
        return headers
    }
}

extension Error {
    /// An error of a call, as the suite writes it; what is none of a call is unknown.
    public init(_ error: any Swift.Error) {
        guard let error = error as? RPCError else {
            self.init(code: .unknown, message: String(describing: error))
            return
        }
        self.init(
            code: Code(rawValue: Int32(error.status.rawValue)) ?? .unknown, message: error.message,
            details: error.details)
    }

    /// The error that a method is to throw.
    public func thrown(with details: [ProtoAny] = []) -> RPCError {
        RPCError(RPCCode(rawValue: Int(code.rawValue)) ?? .unknown, message ?? "", details: self.details + details)
    }
}
