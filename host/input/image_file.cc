#include "host/input/image_file.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <string>

// They want size_t and FILE to be there.
#include <jpeglib.h>
#include <png.h>
// Last: it needs jpeglib.h.
#include <jerror.h>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

absl::Status BadImage(const std::string& why) {
  return absl::DataLossError(why);
}

absl::Status MakeRoom(std::int64_t rows, std::int64_t columns,
                      std::int32_t channels, Pixels& pixels) {
  if (rows < 1 || columns < 1 || rows > kMostPixels / columns)
    return BadImage(absl::StrCat("an image of ", columns, " x ", rows,
                                 " pixels; at most ", kMostPixels,
                                 " are read"));
  pixels.rows = static_cast<std::int32_t>(rows);
  pixels.columns = static_cast<std::int32_t>(columns);
  pixels.channels = channels;
  pixels.values.resize(static_cast<std::size_t>(rows * columns * channels));
  return absl::OkStatus();
}

// libjpeg's way out of an error is a jump.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf out;
  char message[JMSG_LENGTH_MAX];
};

void JumpOut(j_common_ptr info) {
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->out, 1);
}

// A warning is damage too (data that end early, a bad code), but for bytes
// that stand between markers: there are cameras that leave some.
void JumpOutOfWarning(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code != JWRN_EXTRANEOUS_DATA) JumpOut(info);
}

// The two halves of decoding, with nothing to destroy in them, as errors jump.
// False: errors.message says why.
bool ReadJpegHeader(jpeg_decompress_struct& info, JpegErrors& errors,
                    std::string_view file, std::int32_t channels) {
  if (setjmp(errors.out) != 0) return false;
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()),
               static_cast<unsigned long>(file.size()));
  jpeg_read_header(&info, TRUE);
  info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  // libjpeg makes no red, green and blue of printers' inks.
  if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK)
    info.out_color_space = JCS_CMYK;
  info.dct_method = JDCT_ISLOW;
  return true;
}

bool ReadJpegRows(jpeg_decompress_struct& info, JpegErrors& errors,
                  std::uint8_t* values) {
  if (setjmp(errors.out) != 0) return false;
  jpeg_start_decompress(&info);
  const std::size_t stride = std::size_t{info.output_width} *
                             static_cast<std::size_t>(info.output_components);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = values + info.output_scanline * stride;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

// Inks, as Adobe writes them: how much light each leaves. In place.
void FromInks(bool inverted, std::int32_t channels, Pixels& pixels) {
  constexpr std::size_t kInks = 4;
  const std::size_t count = pixels.values.size() / kInks;
  for (std::size_t i = 0; i < count; ++i) {
    unsigned light[kInks];
    for (std::size_t c = 0; c < kInks; ++c) {
      const unsigned value = pixels.values[i * kInks + c];
      light[c] = inverted ? value : 255 - value;
    }
    unsigned rgb[3];
    for (std::size_t c = 0; c < 3; ++c) rgb[c] = light[c] * light[3] / 255;
    if (channels == 1) {
      // Weights of ITU-R BT.601, of 1,000.
      pixels.values[i] = static_cast<std::uint8_t>(
          (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000);
      continue;
    }
    for (std::size_t c = 0; c < 3; ++c)
      pixels.values[i * 3 + c] = static_cast<std::uint8_t>(rgb[c]);
  }
  pixels.channels = channels;
  pixels.values.resize(count * static_cast<std::size_t>(channels));
}

absl::Status DecodeJpeg(std::string_view file, std::int32_t channels,
                        Pixels& pixels) {
  jpeg_decompress_struct info = {};
  JpegErrors errors = {};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = JumpOut;
  errors.manager.emit_message = JumpOutOfWarning;
  jpeg_create_decompress(&info);
  absl::Status status;
  bool done = ReadJpegHeader(info, errors, file, channels);
  if (done) {
    const bool inks = info.out_color_space == JCS_CMYK;
    status = MakeRoom(info.image_height, info.image_width, inks ? 4 : channels,
                      pixels);
    done = !status.ok() || ReadJpegRows(info, errors, pixels.values.data());
    if (status.ok() && done && inks)
      FromInks(info.saw_Adobe_marker != 0, channels, pixels);
  }
  jpeg_destroy_decompress(&info);
  if (!status.ok() || done) return status;
  return BadImage(absl::StrCat("JPEG: ", PrintableLine(errors.message)));
}

absl::Status DecodePng(std::string_view file, std::int32_t channels,
                       Pixels& pixels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  const auto bad = [&image] {
    const std::string why = PrintableLine(image.message);
    png_image_free(&image);
    return BadImage(absl::StrCat("PNG: ", why));
  };
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0)
    return bad();
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  const absl::Status room =
      MakeRoom(image.height, image.width, channels, pixels);
  if (!room.ok()) {
    png_image_free(&image);
    return room;
  }
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&image, &black, pixels.values.data(),
                            /*row_stride=*/0, /*colormap=*/nullptr) == 0)
    return bad();
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeImage(std::string_view file, std::int32_t channels,
                         Pixels& pixels) {
  PODSIM_CHECK(channels == 1 || channels == 3);
  if (file.substr(0, 3) == "\xff\xd8\xff")
    return DecodeJpeg(file, channels, pixels);
  if (file.substr(0, 8) == "\x89PNG\r\n\x1a\n")
    return DecodePng(file, channels, pixels);
  return BadImage("it is neither a JPEG nor a PNG file");
}

}  // namespace podsim
