// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim

/// A writer of the options of an easy handle.
struct CurlOptions {
    private let easy: UnsafeMutableRawPointer
    /// The first failure, if there was one.
    private(set) var code = CURLE_OK

    init(of easy: UnsafeMutableRawPointer) { self.easy = easy }

    private mutating func note(_ result: CURLcode) {
        if code == CURLE_OK { code = result }
    }

    mutating func set(_ option: CURLoption, _ value: Int) { note(latch_curl_set_long(easy, option, value)) }

    mutating func set(_ option: CURLoption, _ isOn: Bool) { set(option, isOn ? 1 : 0) }

    mutating func set(_ option: CURLoption, size: Int) { note(latch_curl_set_size(easy, option, Int64(size))) }

    mutating func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
        note(latch_curl_set_pointer(easy, option, pointer))
    }

    /// Sets a callback, which must be a `@convention(c)` function, and the pointer that libcurl passes to it.
    mutating func set<Function>(
        _ option: CURLoption, _ function: Function, _ contextOption: CURLoption, _ context: UnsafeRawPointer?
    ) {
        set(option, pointer: unsafeBitCast(function, to: UnsafeRawPointer.self))
        set(contextOption, pointer: context)
    }

    /// Sets a text, which libcurl copies; nil restores the default.
    mutating func set(_ option: CURLoption, text: String?) {
        guard let text else { return set(option, pointer: nil) }
        text.withCString { set(option, pointer: $0) }
    }

    /// Trusts the certificate authorities of a PEM file only; nil keeps the system's.
    ///
    /// libcurl uses its folder of authorities together with a file, unless the folder is removed.
    mutating func setAuthorities(_ file: String?) {
        guard let file else { return }
        set(CURLOPT_CAINFO, text: file)
        set(CURLOPT_CAPATH, text: nil)
    }

    /// Sets the part of a transport's proxy that never changes; each request decides whether it uses the proxy.
    mutating func setProxy(_ configuration: CurlTransport.Configuration) {
        guard let proxy = configuration.proxy else { return }
        set(CURLOPT_PROXY_SSLVERSION, latch_curl_tls12)
        if let file = configuration.certificateAuthorityFile {
            set(CURLOPT_PROXY_CAINFO, text: file)
            set(CURLOPT_PROXY_CAPATH, text: nil)
        }
        guard let address = proxy.address else { return }
        // Otherwise the exceptions in the environment would apply.
        set(CURLOPT_NOPROXY, text: "")
        set(CURLOPT_PROXYUSERNAME, text: address.credentials?.user)
        set(CURLOPT_PROXYPASSWORD, text: address.credentials?.password)
    }

    /// Sets bytes, which libcurl copies; nil removes earlier ones.
    mutating func set(_ option: CURLoption, bytes: [UInt8]?) {
        guard let bytes else { return set(option, pointer: nil) }
        bytes.withUnsafeBytes { bytes in
            let data = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            var blob = curl_blob(data: data, len: bytes.count, flags: UInt32(CURL_BLOB_COPY))
            set(option, pointer: &blob)
        }
    }
}
#endif
