// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc
import LatchFoundation

/// QR codes for a terminal, drawn with libqrencode, which is loaded on demand; without it the code is not shown.
enum QRCode {
    /// The beginning of `QRcode` (qrencode.h): a square of modules, whose lowest bit is set if dark.
    private struct Symbol {
        var version: Int32
        var width: Int32
        var modules: UnsafePointer<UInt8>
    }

    private typealias Encode = @convention(c) (UnsafePointer<CChar>, CInt, CInt, CInt, CInt) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Returns a URL as lines of half blocks, dark on light in any terminal; nil without the library.
    static func text(of url: URL) -> String? {
        guard let library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL) else { return nil }
        defer { dlclose(library) }
        guard let encode = dlsym(library, "QRcode_encodeString"), let free = dlsym(library, "QRcode_free") else {
            return nil
        }
        // Any version that is large enough, the lowest error correction level, byte mode, case-sensitive.
        let symbol = unsafeBitCast(encode, to: Encode.self)(url.absoluteString, 0, 0, 2, 1)
        guard let symbol else { return nil }
        defer { unsafeBitCast(free, to: Free.self)(symbol) }
        let square = symbol.load(as: Symbol.self)
        let width = Int(square.width)
        let modules = UnsafeBufferPointer(start: square.modules, count: width * width)
        return QRCodeText.lines(of: modules.map { $0 & 1 == 1 }, width: width)
    }
}

#endif
