// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
public import Foundation

extension URLSession: URLSessionProtocol {}
#endif
