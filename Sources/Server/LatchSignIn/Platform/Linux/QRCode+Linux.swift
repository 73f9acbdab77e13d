// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc

/// QR codes of libqrencode, which is loaded on demand.
extension QRCode {
    /// The beginning of `QRcode` (qrencode.h): a square of modules, whose lowest bit is set if dark.
    private struct Symbol {
        var version: Int32
        var width: Int32
        var modules: UnsafePointer<UInt8>
    }

    private typealias Encode = @convention(c) (UnsafePointer<CChar>, CInt, CInt, CInt, CInt) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Creates a code of a text; nil without the library, or for a text that no code holds.
    package init?(_ text: String) {
        guard let library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL) else { return nil }
        defer { dlclose(library) }
        guard let encode = dlsym(library, "QRcode_encodeString"), let free = dlsym(library, "QRcode_free") else {
            return nil
        }
        // Any version that is large enough, the lowest error correction level, byte mode, case-sensitive.
        let symbol = unsafeBitCast(encode, to: Encode.self)(text, 0, 0, 2, 1)
        guard let symbol else { return nil }
        defer { unsafeBitCast(free, to: Free.self)(symbol) }
        let square = symbol.load(as: Symbol.self)
        let width = Int(square.width)
        let modules = UnsafeBufferPointer(start: square.modules, count: width * width)
        self.init(width: width, modules: modules.map { $0 & 1 == 1 })
    }
}

#endif
