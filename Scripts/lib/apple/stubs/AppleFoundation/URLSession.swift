// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// URL loading. Source: https://developer.apple.com/documentation/foundation/url-loading-system.
@_exported public import FoundationNetworking
public import Security

private func stub() -> Never { fatalError() }

public let NSURLAuthenticationMethodDefault = "", NSURLAuthenticationMethodHTTPBasic = "", NSURLAuthenticationMethodHTTPDigest = ""
public let NSURLAuthenticationMethodNTLM = "", NSURLAuthenticationMethodNegotiate = ""
public let NSURLAuthenticationMethodServerTrust = "", NSURLAuthenticationMethodClientCertificate = ""
open class URLProtectionSpace: NSObject, @unchecked Sendable {
    open var host: String { stub() }
    open var port: Int { stub() }
    open var `protocol`: String? { stub() }
    open var realm: String? { stub() }
    open override func isProxy() -> Bool { stub() }
    open var authenticationMethod: String { stub() }
    open var serverTrust: SecTrust? { stub() }
    open var distinguishedNames: [Data]? { stub() }
}
open class URLCredential: NSObject, @unchecked Sendable {
    public enum Persistence: UInt, Sendable { case none, forSession, permanent, synchronizable }
    public init(trust: SecTrust) {}
    public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence) {}
    public init(user: String, password: String, persistence: URLCredential.Persistence) {}
}
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    open var protectionSpace: URLProtectionSpace { stub() }
    open var proposedCredential: URLCredential? { stub() }
    open var previousFailureCount: Int { stub() }
}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class URLCache: NSObject, @unchecked Sendable {}

open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { stub() }
    open class var `default`: URLSessionConfiguration { stub() }
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration { stub() }
    open func copy(with zone: NSZone? = nil) -> Any { stub() }
    open var identifier: String? { stub() }
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    open var httpCookieStorage: HTTPCookieStorage?
    open var httpShouldSetCookies = true
    open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.always
    open var urlCache: URLCache?
    open var urlCredentialStorage: URLCredentialStorage?
    open var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
    open var httpMaximumConnectionsPerHost = 6
    open var httpShouldUsePipelining = false
    open var connectionProxyDictionary: [AnyHashable: Any]?
    open var tlsMinimumSupportedProtocolVersion: Security.tls_protocol_version_t = .TLSv12
    open var tlsMaximumSupportedProtocolVersion: Security.tls_protocol_version_t = .TLSv13
    open var protocolClasses: [AnyClass]?
    open var waitsForConnectivity = false
    open var allowsCellularAccess = true
    open var timeoutIntervalForRequest: TimeInterval = 60
    open var timeoutIntervalForResource: TimeInterval = 60
    @available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
    open var multipathServiceType: MultipathServiceType { get { stub() } set {} }
    @available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
    public enum MultipathServiceType: Int, Sendable { case none, handover, interactive, aggregate }
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    open var usesClassicLoadingMode: Bool { get { stub() } set {} }
}

open class URLSession: NSObject, @unchecked Sendable {
    public enum AuthChallengeDisposition: Int, Sendable { case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace }
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
    public enum DelayedRequestDisposition: Int, Sendable { case continueLoading, useNewRequest, cancel }
    open class var shared: URLSession { stub() }
    public init(configuration: URLSessionConfiguration) {}
    public convenience init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?) { self.init(configuration: configuration) }
    open var configuration: URLSessionConfiguration { stub() }
    open var delegate: (any URLSessionDelegate)? { stub() }
    open var delegateQueue: OperationQueue { stub() }
    open var sessionDescription: String?
    open func finishTasksAndInvalidate() {}
    open func invalidateAndCancel() {}
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { stub() }
    open func dataTask(with url: URL) -> URLSessionDataTask { stub() }
    open func dataTask(with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionDataTask { stub() }
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask { stub() }
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask { stub() }
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { stub() }
    open func data(for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) { stub() }
    open func data(for request: URLRequest) async throws -> (Data, URLResponse) { stub() }
    open func data(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) { stub() }
    open func upload(for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) { stub() }
}
open class URLSessionTask: NSObject, @unchecked Sendable {
    public enum State: Int, Sendable { case running, suspended, canceling, completed }
    open var taskIdentifier: Int { stub() }
    open var delegate: (any URLSessionTaskDelegate)?
    open var originalRequest: URLRequest? { stub() }
    open var currentRequest: URLRequest? { stub() }
    open var response: URLResponse? { stub() }
    open var countOfBytesReceived: Int64 { stub() }
    open var countOfBytesSent: Int64 { stub() }
    open var state: State { stub() }
    open var error: (any Error)? { stub() }
    open var taskDescription: String?
    open var priority: Float = 0
    open func resume() {}
    open func suspend() {}
    open func cancel() {}
}
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {}
