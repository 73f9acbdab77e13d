// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The media types of files.
enum MediaType {
    /// Returns the media type of a file by its extension; `application/octet-stream` for an unknown one.
    static func ofFile(named name: String) -> String {
        // Apple's systems request it by this name (Supporting associated domains).
        if name.utf8.suffix(26).elementsEqual("apple-app-site-association".utf8) { return "application/json" }
        guard let dot = name.utf8.lastIndex(of: 0x2E) else { return unknown }
        return types[name[dot...].dropFirst().lowercasedASCII()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    /// The registered types by extension, with UTF-8 for text.
    private static let types = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8",
        "xml": "application/xml", "json": "application/json", "map": "application/json",
        "webmanifest": "application/manifest+json", "wasm": "application/wasm", "pdf": "application/pdf",
        "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "ico": "image/vnd.microsoft.icon", "bmp": "image/bmp",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "mp3": "audio/mpeg", "wav": "audio/wav", "ogg": "audio/ogg", "m4a": "audio/mp4", "mp4": "video/mp4",
        "webm": "video/webm", "mov": "video/quicktime", "ics": "text/calendar; charset=utf-8",
    ]
}
